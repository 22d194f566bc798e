// An app with its own three.js and kinestitch beside the element.
import "kinestitch-player";
import { load } from "kinestitch";
import { fromAnimationClip } from "kinestitch/three";
import { REVISION, WebGLRenderer } from "three";
import { playOnBodies, report } from "./player-story.js";

Object.assign(window, { fromAnimationClip, load, REVISION, WebGLRenderer });
report(playOnBodies());

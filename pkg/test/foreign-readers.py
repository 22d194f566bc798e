"""Positions of joints in files, as Blender (bpy) or ufbx read them.

Standard input: a JSON list of {"reader", "file", "seconds": [...], "scale", "rate"}. Standard output, after the line "RESULT":
for each job {"names": {name: [[x, y, z], ...]}, "end", "fps"}, metres and Y up, or {"error"}.
"""
import json
import sys


def to_y_up(v):
    return [v[0], v[2], -v[1]]


def blender(job):
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    reader, file = job["reader"], job["file"]
    scene = bpy.context.scene
    first = 0
    rate = None
    if reader == "bvh":
        # One frame of the scene for each row, from frame 1 on.
        first, rate = 1, job["rate"]
        bpy.ops.import_anim.bvh(filepath=file, global_scale=job["scale"], frame_start=first, update_scene_fps=True,
                                update_scene_duration=True, axis_forward="-Z", axis_up="Y")
    elif reader == "gltf":
        bpy.ops.import_scene.gltf(filepath=file)
    elif reader == "fbx-python":
        bpy.ops.import_scene.fbx(filepath=file, anim_offset=0.0)
        # This importer places keys by the whole rate, and sets the scene to the exact one.
        rate = scene.render.fps
    else:
        bpy.ops.wm.fbx_import(filepath=file, anim_offset=0.0)
    fps = rate or scene.render.fps / scene.render.fps_base
    armatures = [o for o in scene.objects if o.type == "ARMATURE"]
    ends = [a.animation_data.action.frame_range[1] for a in armatures if a.animation_data and a.animation_data.action]
    names = {}
    for seconds in job["seconds"]:
        frame = seconds * fps
        whole = int(frame + 1e-6)
        scene.frame_set(first + whole, subframe=max(0.0, min(frame - whole, 0.999999)))
        bpy.context.view_layer.update()
        for armature in armatures:
            for bone in armature.pose.bones:
                place = armature.matrix_world @ bone.head
                names.setdefault(bone.name, []).append(to_y_up(place))
        for thing in scene.objects:
            if thing.type in ("ARMATURE", "EMPTY"):
                names.setdefault("object " + thing.name, []).append(to_y_up(thing.matrix_world.translation))
    exact = scene.render.fps / scene.render.fps_base
    return {"names": names, "end": (max(ends, default=first) - first) / fps, "fps": exact}


def turn(q, v):
    tx = 2 * (q.y * v[2] - q.z * v[1])
    ty = 2 * (q.z * v[0] - q.x * v[2])
    tz = 2 * (q.x * v[1] - q.y * v[0])
    return [v[0] + q.w * tx + q.y * tz - q.z * ty,
            v[1] + q.w * ty + q.z * tx - q.x * tz,
            v[2] + q.w * tz + q.x * ty - q.y * tx]


def read_ufbx(job):
    import ufbx

    scene = ufbx.load_file(job["file"])
    unit = scene.settings.unit_meters
    stack = scene.anim_stacks[0]
    anim = stack.anim
    # A list of its own: ufbx 0.0.5 crashes when a list of nodes is freed before its nodes.
    nodes = list(scene.nodes)
    names = {}
    for seconds in job["seconds"]:
        for node in nodes:
            place, step = [0, 0, 0], node
            while step is not None and not step.is_root:
                t = step.evaluate_transform(anim, seconds)
                place = turn(t.rotation, [place[0] * t.scale.x, place[1] * t.scale.y, place[2] * t.scale.z])
                place = [place[0] + t.translation.x, place[1] + t.translation.y, place[2] + t.translation.z]
                step = step.parent
            names.setdefault(node.name, []).append([value * unit for value in place])
    return {"names": names, "end": stack.time_end - stack.time_begin, "fps": scene.settings.frames_per_second}


results = []
for job in json.load(sys.stdin):
    try:
        results.append(read_ufbx(job) if job["reader"] == "ufbx" else blender(job))
    except Exception as error:  # reported by the test
        results.append({"error": f"{type(error).__name__}: {error}"})
print("RESULT\n" + json.dumps(results))

/** Loads the styles of the example page. Its players come from `kinestitch-player.js`, as on a page of a user. */
import "../style/docs.css";

/** Styles of the example page; the players come from `kinestitch-player.js`, as on anybody's page. */
import "../style/docs.css";

/**
 * The page for links to motions of other sites: `open.html?bvh=https://…&bvh=https://…`. Its policy allows the
 * requests, see scripts/headers.mjs.
 */
import "./index";

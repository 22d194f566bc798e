/**
 * The page for links to motions of other sites: `open.html?bvh=https://…&bvh=https://…`. Only the content security
 * policy of this page allows requests to other sites, see scripts/headers.mjs.
 */
import "./index";

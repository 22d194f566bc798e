/** The page, as a link opens it with motions of other sites: `open.html?bvh=https://…&bvh=https://…`. Its policy lets it fetch, see scripts/headers.mjs. */
import "./index";

// For parser-targets.mjs: the site's reader and writer of project files, bundled for Node. They need neither three.js
// nor the package.
import { bundlePage } from "./page-bundle.mjs";

const SOURCE = `
export { packProject, readProject } from "./www/core/project-file";
export { InvalidWork, validateHead } from "./www/core/stored-work-schema";
import { project } from "./www/modes/stitch/schema";
import { document } from "./www/modes/inbetween/schema";
import { controlSettings } from "./www/modes/control/schema";
export const schemas = { stitch: project, inbetween: document, control: controlSettings };`;

/** Returns the page's error `InvalidWork`, `packProject(record, files)`, `readProject(file)` and `validateHead(value)`. */
export async function siteRecords() {
  const site = await bundlePage(SOURCE);
  const loadMode = async (id) =>
    Object.hasOwn(site.schemas, id) ? { storage: { schema: async () => site.schemas[id] } } : undefined;
  return {
    InvalidWork: site.InvalidWork,
    packProject: site.packProject,
    validateHead: (value) => site.validateHead({ loadMode }, value),
    readProject: (file) => site.readProject({ loadMode }, file),
  };
}

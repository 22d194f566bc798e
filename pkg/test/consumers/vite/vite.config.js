// Vite's development server bundles packages beforehand and loses the files beside them; see the package's README.
export default { optimizeDeps: { exclude: ["kinestitch"] } };

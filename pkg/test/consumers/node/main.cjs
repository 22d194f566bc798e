// CommonJS: `import()` in every Node; `require` where Node can require modules (20.19, 22.12 and later).
async function frames() {
  const { load } = await import("kinestitch");
  const counts = [(await load("a.bvh")).frames];
  if (process.features.require_module) counts.push((await require("kinestitch").load("b.bvh")).frames);
  return counts;
}

frames().then((counts) => console.log(JSON.stringify(counts)));

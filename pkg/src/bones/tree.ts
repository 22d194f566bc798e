/** Finds the nodes of a file or a scene that form a skeleton. */

export interface Nodes<Node> {
  parent(node: Node): Node | null;
  children(node: Node): readonly Node[];
}

/**
 * Trees of joints of the largest skin, parents first, with the nodes between them, and ancestors as far as they are
 * animated. Empty where there are no joints. `others`: number of trees of other skins.
 */
export function treesOf<Node>(
  nodes: Nodes<Node>,
  skins: readonly (readonly Node[])[],
  animated: ReadonlySet<Node>,
): { joints: Node[]; others: number } {
  const [largest = []] = [...skins].sort((a, b) => b.length - a.length);
  const found = new Set(skins.flat());
  for (const joint of [...found]) {
    let path: Node[] = [];
    for (let above = nodes.parent(joint); above; above = nodes.parent(above)) {
      path.push(above);
      if (!found.has(above) && !animated.has(above)) continue;
      path.forEach((node) => found.add(node));
      path = [];
    }
  }
  const inOrder = (node: Node): Node[] => [
    node,
    ...nodes
      .children(node)
      .filter((child) => found.has(child))
      .flatMap(inOrder),
  ];
  const isTop = (node: Node): boolean => {
    const above = nodes.parent(node);
    return !above || !found.has(above);
  };
  const trees = [...found]
    .filter(isTop)
    .map(inOrder)
    .sort((a, b) => b.length - a.length);
  const main = new Set(largest);
  const used = trees.filter((tree) => tree.some((joint) => main.has(joint)));
  return { joints: used.flat(), others: trees.length - used.length };
}

/** Makes names unique. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  // Next number to try for each name: counting from the start again would take quadratic time.
  const next = new Map<string, number>();
  return names.map((name) => {
    let free = name;
    if (taken.has(name)) {
      let i = next.get(name) ?? 2;
      while (taken.has((free = `${name}_${i}`))) i++;
      next.set(name, i + 1);
    }
    taken.add(free);
    return free;
  });
}

/** Which nodes of a file or a scene are a skeleton. */

export interface Nodes<Node> {
  parent(node: Node): Node | null;
  children(node: Node): readonly Node[];
}

/**
 * The trees of joints that hold those of the largest skin, parents first, with what lies between them, and upwards as far as something is
 * animated. Empty where there are no joints. `others` counts the trees of other skins.
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

/** Names that differ from each other. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  // The next number to try after each name: counting from the start again takes quadratic time.
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

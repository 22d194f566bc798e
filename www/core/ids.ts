/** Stored work has ids of an earlier visit, so ids contain a random part per visit. */
const visit = Math.random().toString(36).slice(2, 8);
let serial = 0;

/** A unique id. */
export const newId = (prefix: string): string => `${prefix}${++serial}-${visit}`;

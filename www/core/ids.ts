let serial = 0;

/** A name that nothing else on this page has. */
export const newId = (prefix: string): string => `${prefix}${++serial}`;

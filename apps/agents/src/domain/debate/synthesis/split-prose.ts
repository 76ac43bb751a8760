/** The sentences of a prose, and of its lists. */
export const splitProse = (prose: string): string[] => prose.split(/(?<=[.!?。])\s+|\n/u);

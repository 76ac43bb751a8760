export const splitProse = (prose: string): string[] => prose.split(/(?<=[.!?。])\s+|\n/u);

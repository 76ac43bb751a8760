/**
 * Agreement from which agents count as agreed, and that of stances drawn at random
 * (docs/convergence.md).
 */
export const AGREEMENT = { enough: 0.85, byChance: 0.6 } as const;

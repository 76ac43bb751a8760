/** A figure that the project wants to reach, and the one that was measured. */
export type Aim = { name: string; unit: string; aim: string; measured: number; met: boolean };

/** An aim that is met from `limit` up. */
export const atLeast = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `>= ${limit}`,
  measured,
  met: measured >= limit,
});

/** An aim that is met up to `limit`. */
export const atMost = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `<= ${limit}`,
  measured,
  met: measured <= limit,
});

/** A measured figure, its aim, and whether the aim is met. */
export type Aim = { name: string; unit: string; aim: string; measured: number; met: boolean };

export const atLeast = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `>= ${limit}`,
  measured,
  met: measured >= limit,
});

export const atMost = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `<= ${limit}`,
  measured,
  met: measured <= limit,
});

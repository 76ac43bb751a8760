/** One summarized row of a benchmark result; CPU is in seconds per 1,000 calls, by process. */
export type MeasuredRow = {
  system: string;
  load: string;
  inFlight: number;
  perSecond: number;
  cpuPer1000By: Readonly<Record<string, number>>;
};

const PARTS = ['api-gateway', 'llm-gateway', 'ledger', 'postgres'] as const;
const LOADS = ['chat-plain', 'chat-streamed'] as const;
const IN_FLIGHT = 64;
const RATES = [10_000, 1_000_000] as const;

/**
 * Returns a table of the cores that each part of a system with separate processes needs at large
 * rates of calls, as a multiple of its measured CPU. Services that a completion does not use are
 * left out. Throws if the rows lack a measurement.
 */
export const toCoresTable = (rows: readonly MeasuredRow[]): string => {
  const rates = RATES.map(toHeader).join(' | ');
  return [
    `| part | load | CPU s per 1,000 calls | calls/s per core | ${rates} |`,
    '| - | - | - | - | - | - |',
    ...LOADS.flatMap((load) => {
      const row = findRow(rows, { system: 'separate', load, inFlight: IN_FLIGHT });
      const costs = PARTS.map((part) => [part, readCost(row, part)] as const);
      const sum = costs.reduce((total, [, cost]) => total + cost, 0);
      const reference = findRow(rows, { system: 'floor-work', load, inFlight: IN_FLIGHT });
      const floorWork = Object.values(reference.cpuPer1000By).reduce((a, b) => a + b, 0);
      return [...costs, ['together', sum] as const, ['floor-work', floorWork] as const].map(
        ([part, cost]) => toCells(part, load, cost),
      );
    }),
  ].join('\n');
};

const toHeader = (rate: number): string => `cores at ${rate.toLocaleString('en')}/s`;

const toCells = (part: string, load: string, cost: number): string => {
  const perCore = 1_000 / cost;
  const cores = RATES.map((rate) => Math.ceil((cost * rate) / 1_000).toLocaleString('en'));
  return `| ${[part, load, cost.toPrecision(2), perCore.toFixed(0), ...cores].join(' | ')} |`;
};

/**
 * Returns a table of the rate of reservations with their certificates at the most callers measured,
 * in one workspace, whose chain one transaction at a time extends, and in several.
 */
export const toChainTable = (rows: readonly MeasuredRow[]): string => {
  const certifying = rows.filter(({ system }) => system.startsWith('certify'));
  const callers = Math.max(...certifying.map(({ inFlight }) => inFlight));
  return [
    '| ledger | load | callers | calls/s | ledger, CPU s per 1,000 | postgres, CPU s per 1,000 |',
    '| - | - | - | - | - | - |',
    ...certifying
      .filter(({ inFlight }) => inFlight === callers)
      .map((row) => {
        const cpu = ['ledger', 'postgres'].map((part) => readCost(row, part).toPrecision(2));
        const rate = row.perSecond.toFixed(0);
        return `| ${[row.system, row.load, callers, rate, ...cpu].join(' | ')} |`;
      }),
  ].join('\n');
};

const readCost = ({ system, load, cpuPer1000By }: MeasuredRow, part: string): number => {
  const cost = cpuPer1000By[part];
  if (cost === undefined) throw new Error(`The row ${system}, ${load} has no CPU of ${part}.`);
  return cost;
};

const findRow = (
  rows: readonly MeasuredRow[],
  wanted: Pick<MeasuredRow, 'system' | 'load' | 'inFlight'>,
): MeasuredRow => {
  const found = rows.find(
    ({ system, load, inFlight }) =>
      system === wanted.system && load === wanted.load && inFlight === wanted.inFlight,
  );
  if (found) return found;
  const { system, load, inFlight } = wanted;
  throw new Error(`The newest gateway result lacks ${system}, ${load}, ${inFlight} in flight.`);
};

import { readNumber } from './figure.ts';
import type { FormatMoney } from './figure.ts';

/** The levers of a turn, each with its unit; a year is four quarters with the same levers. */
export const LEVERS = {
  priceChange: { label: 'Price', unit: '% a quarter, real', kind: 'percent' },
  marketingPct: { label: 'Marketing', unit: '% of revenue', kind: 'percent' },
  rdPct: { label: 'R&D', unit: '% of revenue', kind: 'percent' },
  headcountChange: { label: 'Staff', unit: '% a quarter, net', kind: 'percent' },
  capexPct: { label: 'Investment', unit: '% of revenue', kind: 'percent' },
  raiseEquity: { label: 'New equity', unit: 'a quarter', kind: 'money' },
  debtChange: { label: 'Loans', unit: 'a quarter, net', kind: 'money' },
  newMarketEntry: { label: 'New market', unit: 'begins this turn', kind: 'flag' },
  costProgram: { label: 'Overhead cut', unit: '% a quarter, for good', kind: 'percent' },
} as const;

export type LeverName = keyof typeof LEVERS;
export const LEVER_NAMES = Object.keys(LEVERS) as LeverName[];

type Values = Readonly<Partial<Record<LeverName, number>>>;

export type Decision = {
  levers: Values;
  proposals: readonly {
    agent: string;
    confidence: number | null;
    levers: Values;
    /** Why, in the words of the agent. */
    rationale: string;
  }[];
  /** Levers that were limited, with the reason. */
  clamped: readonly { lever: string; asked: number | null; reason: string }[];
  /** 0 to 1; null if the state does not record it. */
  convergence: number | null;
  absentAgents: readonly string[];
  /** True if too few agents answered, so that the levers did not change. */
  isFallback: boolean;
  failure: string | undefined;
};

const objectsOf = (value: unknown): object[] =>
  Array.isArray(value)
    ? value.filter((one): one is object => typeof one === 'object' && one !== null)
    : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const readValues = (value: unknown): Values => {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    LEVER_NAMES.flatMap((name) => {
      const number = readNumber(value, name);
      return number === null ? [] : [[name, number]];
    }),
  );
};

/** Reads the decision of a state, which the API describes as an open object. */
export const readDecision = (decisions: object): Decision => {
  const members = decisions as Readonly<Record<string, unknown>>;
  const { proposals, clamped, absentAgents, levers, fallback, failure } = members;
  return {
    levers: readValues(levers),
    proposals: objectsOf(proposals).map((proposal) => {
      const { agentName, levers: proposed, rationale } = proposal as Record<string, unknown>;
      const confidence = readNumber(proposal, 'confidence');
      return {
        agent: textOf(agentName),
        confidence,
        levers: readValues(proposed),
        rationale: textOf(rationale),
      };
    }),
    clamped: objectsOf(clamped).map((clamp) => {
      const { lever, reason } = clamp as Record<string, unknown>;
      return { lever: textOf(lever), reason: textOf(reason), asked: readNumber(clamp, 'asked') };
    }),
    convergence: readNumber(members, 'convergenceScore'),
    absentAgents: Array.isArray(absentAgents) ? absentAgents.map(textOf) : [],
    isFallback: fallback === true,
    failure: typeof failure === 'string' ? failure : undefined,
  };
};

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Returns the levers that a decision moves, or that one of its proposals moves. */
export const findMoved = (decisions: readonly Decision[]): LeverName[] => {
  const values = decisions.flatMap(({ levers, proposals }) => [
    levers,
    ...proposals.map((proposal) => proposal.levers),
  ]);
  return LEVER_NAMES.filter((name) => values.some((one) => (one[name] ?? 0) !== 0));
};

export const formatLever = (
  name: LeverName,
  value: number | undefined,
  formatMoney: FormatMoney,
): string => {
  if (value === undefined) return '';
  const { kind } = LEVERS[name];
  if (kind === 'flag') return value >= 0.5 ? 'yes' : 'no';
  return kind === 'money' ? formatMoney(value) : `${number.format(value)} %`;
};

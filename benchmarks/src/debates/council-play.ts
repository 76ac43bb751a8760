export type CouncilCall = {
  /** Number in the debate's question or, in a panel's call, in the company's name. */
  debate: number;
  /** Name of the scenario in a panel's call; otherwise empty. */
  scenario: string;
  kind: 'frame' | 'agent' | 'synthesis';
  /** Round of the debate or panel in an agent's call, starting at 1; otherwise 0. */
  round: number;
};

/** Returns an agent with a persona of realistic length. */
export const makePersona = (index: number) => ({
  name: `${AGENT_NAME}${index}`,
  role: 'Adviser of the bench',
  systemPrompt: `${PERSONA.repeat(PERSONA_REPEATS)}${NUMBER_PREFIX}${index}.`,
  personality: 'Calm, curious and frank.',
  mission: 'That the company does few things, and does them well.',
  decisionStyle: 'Reversible things fast, others slowly.',
  model: 'gpt-bench',
});

/** Returns a unique question, because the framing of a repeated question would be cached. */
export const makeQuestion = (debate: number): string =>
  `Question ${debate}: should the company open a second shop next quarter, and can it pay for one?`;

const AGENT_NAME = 'Adviser';
const NUMBER_PREFIX = 'Your number at the table is ';
const PERSONA =
  'You advise a small company on where to go and what to leave alone. You weigh what is known ' +
  'against what is hoped for, name the assumptions that a plan stands on, and say what would have ' +
  'to be true for it to work. You answer in a few plain sentences. ';
const PERSONA_REPEATS = 5;

/** Finds out which call of which debate or panel a prompt belongs to, by texts in the prompt. */
export const readCouncilCall = (body: string): CouncilCall => {
  const question = /Question (\d+):/.exec(body)?.[1];
  const debate = question ? Number(question) : readCompanyName(body);
  const scenario = /The scenario is "([^"]*)"/.exec(body)?.[1] ?? '';
  if (body.includes('Frame the question as yes/no propositions.')) {
    return { debate, scenario, kind: 'frame', round: 0 };
  }
  if (body.includes('Write the synthesis of this debate')) {
    return { debate, scenario, kind: 'synthesis', round: 0 };
  }
  // The agent's last answer, which the prompt repeats, contains the round in which it was given.
  const lastRound = /--- YOUR LAST ANSWER ---.*?Held in round (\d+)/s.exec(body)?.[1];
  return { debate, scenario, kind: 'agent', round: Number(lastRound ?? 0) + 1 };
};

/**
 * Returns an answer of realistic length. Agents with even and odd numbers take opposite stances,
 * which never change.
 */
export const makeCouncilAnswer = (call: CouncilCall, body: string): string => {
  if (call.kind === 'frame') return JSON.stringify({ issues: ISSUES });
  if (call.kind === 'synthesis') return JSON.stringify({ content: writeSynthesis(body) });
  const index = Number(new RegExp(`${NUMBER_PREFIX}(\\d+)`).exec(body)?.[1]);
  const stance = index % 2 === 0 ? 1 : -1;
  const makeText = (count: number, offset: number): string =>
    Array.from(
      { length: count },
      (_, at) => SENTENCES[(index + offset + at) % SENTENCES.length],
    ).join(' ');
  return JSON.stringify({
    content: makeText(8, 0),
    position: `Held in round ${call.round}. ${makeText(2, 3)}`,
    stances: [
      { issue: 'i1', stance, confidence: 0.9 },
      { issue: 'i2', stance: stance / 2, confidence: 0.6 },
    ],
    keyPoints: [1, 2, 3].map((at) => ({ id: `p${at}`, text: makeText(1, at) })),
    changedMind: false,
    changeReason: null,
    wouldChangeMind: makeText(1, 5),
    ...(body.includes('priceChange') ? { levers: proposeLevers(index) } : {}),
  });
};

/** Returns the levers that a panel member proposes; they differ by member. */
const proposeLevers = (index: number) => ({
  priceChange: index / 2,
  marketingPct: 6 + index,
  headcountChange: index - 3,
});

const ISSUES = [
  { id: 'a', proposition: 'The company should open a second shop next quarter.', weight: 2 },
  { id: 'b', proposition: 'The company can pay for a second shop.', weight: 1 },
];

const SENTENCES = [
  'The north grew because a rival left it, and that will not last beyond the spring.',
  'Two customers ask for longer terms, which is a loan that the bank would not give them.',
  'A second shop needs a second manager, and nobody who could be one works here today.',
  'Rents on the square fell for the first time in years, and the landlord is in a hurry.',
  'The margin of the first shop pays for half a year of losses, but not for a whole one.',
  'Whoever opens in the autumn sells through the winter, and learns nothing about the summer.',
  'A stall on the market would show within weeks what a lease shows within years.',
  'The third customer left over delivery times, and a second shop makes those longer.',
  'Suppliers give better prices from twice the volume on, which only two shops can take.',
  'What looks like demand in the south is one hotel that buys everything at once.',
  'The family that owns the house would sign for a year, with a break after six months.',
  'Staff who know the regulars are the reason why people come, and they cannot be split.',
];

/** Returns the text of a synthesis, which names every issue in the prompt with its dissenters. */
const writeSynthesis = (body: string): string =>
  [...new Set(body.match(/\[i\d+\](?= verdict: )/g))]
    .map((mark) => {
      const [, dissenters] = body.split(`${mark} dissent: `);
      const letters = dissenters && /^[[\]A-Z, ]+/.exec(dissenters)?.[0].trim();
      return letters ? `${letters} dissent on ${mark}.` : `It was weighed twice: ${mark}.`;
    })
    .join(' ');

const BYTES_PER_TOKEN = 4;

/** Returns the approximate number of tokens that providers count for English text. */
export const countTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/**
 * Consonants that encode the digits 0 to 9 in a company's name, because masking could replace
 * numbers or real names.
 */
const LETTERS = 'bcdfghjklm';

export const toCompanyName = (number: number): string =>
  `Company ${String(number).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!)}`;

/** Returns the number that a prompt's company name encodes; NaN without such a name. */
export const readCompanyName = (prompt: string): number => {
  const letters = /"Company ([bcdfghjklm]+)"/.exec(prompt)?.[1] ?? 'none';
  return Number([...letters].map((letter) => LETTERS.indexOf(letter)).join(''));
};

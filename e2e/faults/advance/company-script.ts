import { AGENT_NAMES, readAgentCall, toAgentAnswer } from '../scripted-model.ts';
import type { ModelCall, ModelScript } from '../scripted-model.ts';

/**
 * Returns the simulation's name for run `number`. Two letters encode the number, because digits and
 * single letters may be masked.
 */
export const toSimulationName = (number: number): string =>
  `Company ${LETTERS[Math.floor(number / 10)]}${LETTERS[number % 10]}`;

/** Consonants only, so that two of them form no word and no name. */
const LETTERS = 'bcdfghjklm';

const REPORT = {
  summary: 'The company was played forward by its council, which never agreed.',
  risks: ['Cash is finite.'],
  recommendations: ['Watch what is spent every month.'],
};
const STANCES: Readonly<Record<string, number>> = { Craft: 1, Doubt: -1, Growth: 0.5 };

/**
 * Answers as the panels' agents and writes the report. The key of an agent's call consists of
 * scenario, debate round and agent, such as `Calm 2 Growth`; the key of the report's call is
 * `report`.
 */
export const COMPANY_SCRIPT: ModelScript = {
  readCall: (prompt) => {
    const [tens = '', units = ''] = /"Company ([b-m]{2})"/.exec(prompt)?.[1] ?? '';
    const runNumber = LETTERS.indexOf(tens) * 10 + LETTERS.indexOf(units);
    if (prompt.includes('--- FACT TABLE ---')) {
      return { runNumber, key: 'report', scenario: '', name: '', round: 0 };
    }
    const scenario = /The scenario is "(\w+)"/.exec(prompt)?.[1] ?? '';
    const { name, round } = readAgentCall(prompt);
    return { runNumber, key: `${scenario} ${round} ${name}`, scenario, name, round };
  },
  answer: (call) => (call.key === 'report' ? REPORT : toDecision(call)),
};

const toDecision = (call: ModelCall): object => {
  const { name, scenario, round } = call;
  const index = AGENT_NAMES.findIndex((one) => one === name);
  const isBust = scenario === 'Bust';
  return {
    ...toAgentAnswer(call),
    stances: ['i1', 'i2', 'i3'].map((issue) => ({ issue, stance: STANCES[name], confidence: 0.8 })),
    // The second debate round counts only if an agent changed its mind.
    changedMind: round === 2,
    changeReason: round === 2 ? 'The rent was agreed yesterday.' : null,
    levers: {
      priceChange: (isBust ? -1 : 1) * (index + round),
      marketingPct: 8 + 2 * index + round,
      headcountChange: isBust ? -5 : 3,
    },
  };
};

import { createHash } from 'node:crypto';
import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { promptOf } from '../debates/scripted-council.ts';

export type CompanyCall = {
  /**
   * Number of the run, decoded from two letters in the simulation's name; 0 also if the prompt
   * contains no such name.
   */
  runNumber: number;
  /**
   * Identifies the call within its run: scenario, debate round and agent, such as `Calm 2 Growth`,
   * or `report`.
   */
  key: string;
  scenario: string;
  /** Name of the agent; empty for the call that writes the report. */
  name: string;
  /** SHA-256 of the exact request body, in lower-case hex. */
  sha256: string;
};

/** Called for each model call; the scripted provider answers once the promise resolves. */
export type CompanyPace = (call: CompanyCall) => Promise<unknown>;

export const AGENT_NAMES = ['Craft', 'Doubt', 'Growth'] as const;
/** Names of the scenarios, in the order in which `createPaceByWrites` lets their panels decide. */
export const SCENARIO_NAMES = ['Calm', 'Bust'] as const;

/** Returns a persona. `name` must not look like a person's name, which would be masked. */
export const toPersona = (name: string) => ({
  name,
  systemPrompt: `You speak for ${name}.`,
  model: 'gpt-5',
});

/**
 * Returns the simulation's name for run `number`. Two letters encode the number, because digits and
 * single letters may be masked.
 */
export const toSimulationName = (number: number): string =>
  `Company ${LETTERS[Math.floor(number / 10)]}${LETTERS[number % 10]}`;

/** Consonants only, so that two of them form no word and no name. */
const LETTERS = 'bcdfghjklm';

/**
 * Returns a script that answers as the panels' agents and writes the report. Its output depends
 * only on scenario, agent and debate round, so that an advance with a fault can be compared to one
 * without faults.
 */
export const createScriptedCompany = () => {
  const calls: CompanyCall[] = [];
  let pace: CompanyPace = async () => {};
  const script: Script = async (exchange) => {
    const { parsed, body } = exchange.request;
    const prompt = promptOf(parsed);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const call = { ...readCall(prompt), sha256 };
    calls.push(call);
    const { closeSignal } = exchange;
    const disconnected = new Promise((resolve) =>
      closeSignal.addEventListener('abort', resolve, { once: true }),
    );
    await Promise.race([pace(call), disconnected]);
    if (closeSignal.aborted) return;
    const answer = call.name === '' ? REPORT : toDecision(call);
    await answerWith({ content: JSON.stringify(answer), usage: USAGE })(exchange);
  };
  return {
    script,
    /** All received calls, in the order in which they arrived. */
    calls: calls as readonly CompanyCall[],
    setPace: (next: CompanyPace): void => {
      pace = next;
    },
  };
};

const USAGE = { prompt_tokens: 1_000, completion_tokens: 400, total_tokens: 1_400 };

const REPORT = {
  summary: 'The company was played forward by its council, which never agreed.',
  risks: ['Cash is finite.'],
  recommendations: ['Watch what is spent every month.'],
};

const readCall = (prompt: string): Omit<CompanyCall, 'sha256'> => {
  const [tens = '', units = ''] = /"Company ([b-m]{2})"/.exec(prompt)?.[1] ?? '';
  const runNumber = LETTERS.indexOf(tens) * 10 + LETTERS.indexOf(units);
  if (prompt.includes('--- FACT TABLE ---')) {
    return { runNumber, key: 'report', scenario: '', name: '' };
  }
  const name = /You speak for (\w+)\./.exec(prompt)?.[1] ?? '';
  const scenario = /The scenario is "(\w+)"/.exec(prompt)?.[1] ?? '';
  // The agent's own answer of the previous round contains the number of that round.
  const last = new RegExp(`Position of ${name} in round (\\d)`).exec(prompt)?.[1];
  const round = Number(last ?? 0) + 1;
  return { runNumber, key: `${scenario} ${round} ${name}`, scenario, name };
};

const STANCES: Readonly<Record<string, number>> = { Craft: 1, Doubt: -1, Growth: 0.5 };

const toDecision = ({ name, scenario, key }: CompanyCall): object => {
  const round = Number(key.split(' ')[1]);
  const index = AGENT_NAMES.findIndex((one) => one === name);
  const isBust = scenario === 'Bust';
  return {
    content: `What ${name} says in round ${round}.`,
    position: `Position of ${name} in round ${round}.`,
    stances: ['i1', 'i2', 'i3'].map((issue) => ({ issue, stance: STANCES[name], confidence: 0.8 })),
    keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
    // The second debate round counts only if an agent changed its mind.
    changedMind: round === 2,
    changeReason: round === 2 ? 'The rent was agreed yesterday.' : null,
    wouldChangeMind: `This would move ${name}.`,
    levers: {
      priceChange: (isBust ? -1 : 1) * (index + round),
      marketingPct: 8 + 2 * index + round,
      headcountChange: isBust ? -5 : 3,
    },
  };
};

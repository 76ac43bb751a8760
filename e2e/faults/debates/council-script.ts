import { nameDissent } from '../../scripted-council.ts';
import { readAgentCall, toAgentAnswer } from '../scripted-model.ts';
import type { ModelCall, ModelScript } from '../scripted-model.ts';

export const toQuestion = (runNumber: number): string =>
  `Question ${runNumber}: shall we open a second shop?`;

const ISSUES = [
  { id: 'x', proposition: 'The company should open a second shop.', weight: 2 },
  { id: 'y', proposition: 'The company can pay for a second shop.', weight: 1 },
];

/**
 * Answers as a council. Growth changes its stance in the second round, and no other stance changes.
 * The key of a call is `frame`, `synthesis`, or debate round and agent, such as `2 Growth`.
 */
export const COUNCIL_SCRIPT: ModelScript = {
  readCall: (prompt) => {
    const runNumber = Number(/Question (\d+):/.exec(prompt)?.[1]);
    const toCall = (key: string) => ({ runNumber, key, name: '', round: 0, scenario: '' });
    if (prompt.includes('Frame the question as yes/no propositions.')) return toCall('frame');
    if (prompt.includes('Write the synthesis of this debate')) return toCall('synthesis');
    const { name, round } = readAgentCall(prompt);
    return { ...toCall(`${round} ${name}`), name, round };
  },
  answer: (call, prompt) => {
    if (call.key === 'frame') return { issues: ISSUES };
    return call.key === 'synthesis' ? writeSynthesis(prompt) : toCouncilAnswer(call);
  },
};

const writeSynthesis = (prompt: string): object => ({
  content: `The council has weighed it. ${nameDissent(prompt)}`,
});

const toCouncilAnswer = (call: ModelCall): object => {
  const { name, round } = call;
  const hasChangedMind = name === 'Growth' && round > 1;
  const stance = name === 'Craft' ? 1 : name === 'Doubt' ? -1 : hasChangedMind ? 0.5 : -0.5;
  return {
    ...toAgentAnswer(call),
    stances: [
      { issue: 'i1', stance, confidence: 0.9 },
      { issue: 'i2', stance: 0.5, confidence: 0.6 },
    ],
    changedMind: hasChangedMind && round === 2,
    changeReason: hasChangedMind && round === 2 ? 'The rent was agreed yesterday.' : null,
  };
};

// In this order, because the prompts of a debate share their instructions.
const KINDS = {
  contradiction: 'Your text and your stance contradict each other',
  panel: 'Decide on each lever',
  revision: '--- OTHERS ---',
  framing: 'Frame the question',
  debate: 'Take your stance',
  synthesis: 'Write the synthesis',
  market: 'Analyse a market',
  report: 'closing report of a business',
  facts: 'You extract facts',
  summary: 'You keep the minutes',
} as const;

export type CallKind = keyof typeof KINDS | 'chat';

const REPAIR = /last answer (?:could not|cannot) be used|That cannot be used|You have reasoned/;

/** Returns what a call of Witan is for, and whether it repairs an answer. */
export const kindOf = (
  messages: readonly { role: string; text: string }[],
): { kind: CallKind; isRepair: boolean } => {
  const all = messages.map(({ text }) => text).join('\n');
  const found = Object.entries(KINDS).find(([, text]) => all.includes(text));
  const isRepair = REPAIR.test(messages.at(-1)?.text ?? '');
  return { kind: (found?.[0] ?? 'chat') as CallKind, isRepair };
};

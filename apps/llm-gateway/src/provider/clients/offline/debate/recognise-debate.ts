import { findPersona } from '../find-persona.ts';
import { newestMessages } from '../read-conversation.ts';

// Marker lines of debate prompts. They must equal those in
// apps/agents/src/debate/prompt/prompt-markers.ts, because services do not import each
// other; the test beside this file compares them.
const FRAME_LINE = 'Frame the question as yes/no propositions.';
const TASK_LINE = 'Take your stance on the propositions of this debate.';
const SYNTHESIS_LINE = 'Write the synthesis of this debate from the table of the council.';
const OWN_BEGIN = '--- YOUR LAST ANSWER ---';
const OWN_END = '--- END YOUR LAST ANSWER ---';
const OTHERS_BEGIN = '--- OTHERS ---';
const OTHERS_END = '--- END OTHERS ---';
const COUNCIL_BEGIN = '--- COUNCIL ---';
const COUNCIL_END = '--- END COUNCIL ---';

/** Sentence in every adviser's prompt that contains the adviser's name. */
const ADVISER = /^You are (?<name>.{1,200}?), an adviser to\b/mu;

export type Persona = { readonly name: string; readonly brief: string };

export type DebateCall =
  | { readonly kind: 'frame'; readonly question: string }
  | {
      readonly kind: 'answer';
      readonly persona: Persona;
      readonly task: string;
      readonly question: string;
      /**
       * The member's last answer as JSON; `others` has the answers of the other members. In the
       * first round both are empty.
       */
      readonly own: string;
      readonly others: string;
    }
  | { readonly kind: 'synthesis'; readonly table: string };

export function recogniseDebate(request: unknown): DebateCall | undefined {
  const messages = newestMessages(request);
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ text }) => text)
    .join('\n\n');
  const user = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  if (hasLine(system, FRAME_LINE)) return { kind: 'frame', question: user };
  if (hasLine(system, SYNTHESIS_LINE)) {
    return { kind: 'synthesis', table: cutOut(user, COUNCIL_BEGIN, COUNCIL_END) };
  }
  if (!hasLine(system, TASK_LINE)) return undefined;
  const taskAt = findLine(system, TASK_LINE);
  const blocksAt = [OWN_BEGIN, OTHERS_BEGIN].map((line) => findLine(user, line));
  const questionEnd = Math.min(user.length, ...blocksAt.filter((at) => at >= 0));
  return {
    kind: 'answer',
    persona: readPersona(system.slice(0, taskAt)),
    task: system.slice(taskAt),
    question: user.slice(0, questionEnd).trim(),
    own: cutOut(user, OWN_BEGIN, OWN_END),
    others: cutOut(user, OTHERS_BEGIN, OTHERS_END),
  };
}

function findLine(text: string, prefix: string): number {
  if (text.startsWith(prefix)) return 0;
  const at = text.indexOf(`\n${prefix}`);
  return at < 0 ? -1 : at + 1;
}

const hasLine = (text: string, prefix: string): boolean => findLine(text, prefix) >= 0;

function cutOut(text: string, begin: string, end: string): string {
  const from = findLine(text, begin);
  if (from < 0) return '';
  const inside = text.slice(from + begin.length);
  const to = findLine(inside, end);
  return (to < 0 ? inside : inside.slice(0, to)).trim();
}

function readPersona(instructions: string): Persona {
  const rule = ADVISER.exec(instructions);
  const name =
    rule?.groups?.['name'] ??
    findPersona([{ speaker: 'instructions', text: instructions, isFresh: false }]);
  return { name, brief: instructions.slice(0, rule?.index ?? instructions.length).trim() };
}

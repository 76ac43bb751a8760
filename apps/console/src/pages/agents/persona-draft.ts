import type { Agent, AgentChange, NewAgent } from './agents-query.ts';

/** Names of the members of a persona, in the order of the form. */
export const PERSONA_MEMBERS = [
  'name',
  'role',
  'systemPrompt',
  'personality',
  'mission',
  'decisionStyle',
  'model',
] as const satisfies readonly (keyof NewAgent & keyof Agent)[];

export type PersonaMember = (typeof PERSONA_MEMBERS)[number];

/** The texts of the form; an empty one is not set. */
export type PersonaDraft = Readonly<Record<PersonaMember, string>>;

export const EMPTY_PERSONA: PersonaDraft = {
  name: '',
  role: '',
  systemPrompt: '',
  personality: '',
  mission: '',
  decisionStyle: '',
  model: '',
};

export const toDraft = (agent: Agent): PersonaDraft => ({
  name: agent.name,
  role: agent.role,
  systemPrompt: agent.systemPrompt,
  personality: agent.personality,
  mission: agent.mission,
  decisionStyle: agent.decisionStyle,
  model: agent.model,
});

const REQUIRED = ['name', 'systemPrompt'] as const;

/** Returns the required members that are blank. */
export const findMissing = (draft: PersonaDraft): PersonaMember[] =>
  REQUIRED.filter((member) => draft[member].trim() === '');

/** Returns the members that differ from the agent; an emptied one is null. */
export const toChange = (draft: PersonaDraft, agent: Agent): AgentChange => {
  const stored = toDraft(agent);
  const changed = PERSONA_MEMBERS.filter((member) => draft[member].trim() !== stored[member]);
  return Object.fromEntries(changed.map((member) => [member, draft[member].trim() || null]));
};

/** Returns the body of a new agent, without members that are blank. */
export const toNewAgent = (draft: PersonaDraft): NewAgent => {
  const given = PERSONA_MEMBERS.filter((member) => draft[member].trim() !== '');
  const texts = Object.fromEntries(given.map((member) => [member, draft[member].trim()]));
  return { name: '', systemPrompt: '', ...texts };
};

/** Personas that disagree with each other, to begin a council with. */
export const EXAMPLES: readonly PersonaDraft[] = [
  {
    ...EMPTY_PERSONA,
    name: 'Finance',
    role: 'Chief financial officer',
    systemPrompt:
      'You are the chief financial officer of a mid-sized company. You answer with figures: what ' +
      'it costs, when it pays back, what the worst case does to the cash. ' +
      'If a figure is missing, ' +
      'you say which one and what you assume instead.',
    personality: 'Calm and exact. Prefers a small certain gain to a large uncertain one.',
    mission: 'The company can always pay its people and its debts.',
    decisionStyle: 'Cash first, then margin, then growth. Says no until the downside is bounded.',
  },
  {
    ...EMPTY_PERSONA,
    name: 'Growth',
    role: 'Head of sales',
    systemPrompt:
      'You are the head of sales. ' +
      'You speak for the customers that the company does not have yet: ' +
      'who they are, what they pay today, and what would make them change. You name the ' +
      'opportunity that is lost by waiting.',
    personality: 'Bold and impatient. Finds it worse to be late than to be wrong.',
    mission: 'More customers each quarter than in the one before.',
    decisionStyle: 'Tries it small and soon, and decides on what the customers do.',
  },
  {
    ...EMPTY_PERSONA,
    name: 'Sceptic',
    role: 'Devil’s advocate',
    systemPrompt:
      'You look for what is wrong with the proposal that most people like. You ask how the claim ' +
      'was measured, what else explains it, and what would have to be true for it to fail. You ' +
      'change your mind for evidence only, and say so when you do.',
    personality: 'Polite, dry, hard to convince.',
    mission: 'No decision rests on a claim that nobody checked.',
    decisionStyle: 'Against by default; states the test that would change that.',
  },
];

import { nameDissent } from '../scripted-council.ts';
import type { CouncilScript, ScriptedOutput } from '../scripted-council.ts';

/** The propositions of the debate that the stories of the console watch. */
export const ISSUES = [
  { id: 'x', proposition: 'The company should open a second shop this year.', weight: 2 },
  { id: 'y', proposition: 'The company can pay for a second shop from its own cash.', weight: 1 },
];

type Part = { content: string; stances: [number, number]; point: string; reason?: string };

/** What each member says in its first and second round; later it repeats the second. */
const PARTS: Readonly<Record<string, readonly Part[]>> = {
  Finance: [
    {
      content:
        'Cash covers seven months of costs. A second shop takes four of them before it earns anything, and our bank line is drawn to the half. I would wait until the first shop has paid back its fit-out.',
      stances: [-0.5, -1],
      point: 'A second shop takes four of our seven months of cash.',
    },
    {
      content:
        'The lease with a break clause after twelve months changes the sum: the worst case is two months of cash, not four. I can support it if we sign only with that clause and keep three months in reserve.',
      stances: [0.5, -0.5],
      point: 'With a break clause, the worst case is two months of cash.',
      reason: 'The break clause halves what we can lose.',
    },
  ],
  Growth: [
    {
      content:
        'The neighbourhood north of the river has twice our walk-in traffic and no specialist. We turn away about forty orders a week because people do not want to cross town. That demand is there now; in a year somebody else serves it.',
      stances: [1, 0.5],
      point: 'We turn away about forty orders a week for distance alone.',
    },
    {
      content:
        'A small shop with a break clause is enough to test the demand. I keep my view: open this year, and decide on the size after two quarters of sales.',
      stances: [1, 0.5],
      point: 'A small shop tests the demand within two quarters.',
    },
  ],
  Product: [
    {
      content:
        'Our range sells because two people know it by heart. A second shop needs a second team of that kind, and training took us nine months last time. I lean towards opening, if we hire before we sign.',
      stances: [0.5, 0],
      point: 'Training a team that knows the range took nine months.',
    },
    {
      content:
        'If we start hiring now, the team is ready when the lease begins. That order of steps makes it safe enough for the customers we have, and gives the new shop the knowledge that makes ours work.',
      stances: [1, 0.5],
      point: 'Hiring first makes the opening safe for present customers.',
      reason: 'Hiring can begin before the lease.',
    },
  ],
  Sceptic: [
    {
      content:
        'The forty lost orders are a guess from three busy weeks in December. Nobody counted in spring. One shop that runs well is worth more than two that compete for the same two experts and the same cash.',
      stances: [-1, -1],
      point: 'The forty lost orders were counted in December only.',
    },
    {
      content:
        'I have read that a break clause limits the loss. It limits the rent, not the months in which our two best people are away from the shop that pays everybody. I still say no, until the demand was counted for a normal quarter.',
      stances: [-1, -0.5],
      point: 'A break clause limits the rent, not the absence of our two best people.',
    },
  ],
  // Its calls fail from the second round on.
  Craft: [
    {
      content:
        'The workshop has room for a third more output without a new machine. A second shop would use what stands idle on three days of the week, so each piece becomes cheaper to make.',
      stances: [0.5, 0.5],
      point: 'A third of the workshop stands idle on three days of the week.',
    },
  ],
};

const PARTS_MAX = 2;

export const NAMES = Object.keys(PARTS);

const SYNTHESIS =
  'Two conditions carried it: the lease has a break clause after twelve months, and the second team is hired before it is signed.';

const answerOf = (name: string, number: number): ScriptedOutput => {
  const parts = PARTS[name] ?? [];
  const part = parts[Math.min(number, PARTS_MAX) - 1];
  if (!part) return { status: 500 };
  const { content, point, stances } = part;
  const reason = number > PARTS_MAX ? undefined : part.reason;
  return {
    content,
    position: point,
    stances: { i1: stances[0], i2: stances[1] },
    keyPoints: [{ id: 'p1', issue: 'i1', point }],
    changedMind: reason !== undefined,
    changeReason: reason ?? null,
    wouldChangeMind: 'Orders counted in a normal quarter.',
  };
};

/** Returns a debate of three rounds, in which `until` may hold back answers. */
export const createShopDebate = (until: NonNullable<CouncilScript['until']>): CouncilScript => ({
  issues: ISSUES,
  answerOf,
  until,
  synthesis: (prompt) => `${SYNTHESIS} ${nameDissent(prompt)}`,
});

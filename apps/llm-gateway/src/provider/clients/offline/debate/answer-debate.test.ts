import { describe, expect, it } from '@jest/globals';
import { answerOffline } from '../answer-offline.ts';
import { DISCLOSURE } from '../gather-sentences.ts';
import { answerDebate } from './answer-debate.ts';

type MemberAnswer = {
  content: string;
  position: string;
  stances: { issue: string; stance: number; confidence: number }[];
  keyPoints: { id: string; text: string }[];
  changedMind: boolean;
  changeReason: string | null;
  wouldChangeMind: string;
  levers?: Record<string, number>;
};

const COUNCIL: readonly (readonly [name: string, brief: string])[] = [
  ['Growth', 'You advise on the market, on competitors and on growth.'],
  ['Money', 'You answer for cash, margins, the budget and the runway.'],
  ['Users', 'You speak for customers: people who use what we make, and their experience.'],
  ['Works', 'You find the bottleneck: which team has capacity, which process breaks.'],
  ['Doubt', 'You doubt, object, and look for the mistake, the failure and the downside.'],
];
const ISSUES = ['[i1] We should expand to Brazil', '[i2] It is better to wait than to expand.'];

const ask = (system: string, user: string, rest: object = {}): Record<string, unknown> => {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  const answer = answerOffline({ messages, response_format: { type: 'json_object' }, ...rest });
  const [choice] = answer.choices;
  expect(choice?.finish_reason).toBe('stop');
  return JSON.parse(choice?.message.content ?? '') as Record<string, unknown>;
};

const frame = (question: string, rest: object = {}): string[] => {
  const { issues } = ask('Frame the question as yes/no propositions.\nShortly.', question, rest);
  return (issues as { proposition: string }[]).map(({ proposition }) => proposition);
};

type PromptParts = { issues?: readonly string[]; levers?: readonly string[]; othersText?: string };

const answer = (
  [name, brief]: readonly [name: string, brief: string],
  { issues = ISSUES, levers = [], othersText = '' }: PromptParts = {},
): MemberAnswer => {
  const system = [
    brief,
    `You are ${name}, an adviser to the person who writes to you. Stay in character.`,
    'Take your stance on the propositions of this debate. You sit on a council.',
    ...issues,
    ...levers,
  ].join('\n\n');
  return ask(system, `Should we expand to Brazil?\n${othersText}`) as MemberAnswer;
};

const others = (last: MemberAnswer, points: readonly string[]): string =>
  [
    '--- YOUR LAST ANSWER ---',
    JSON.stringify(last),
    '--- END YOUR LAST ANSWER ---',
    '--- OTHERS ---',
    'Group 1:',
    'A: What A holds.',
    ...points.map((point) => `- ${point}`),
    '--- END OTHERS ---',
    'Answer again.',
  ].join('\n');

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+/u);

describe('the framing of a question', () => {
  it('depends on the words of the question', () => {
    const one = frame('Should we raise prices?');
    const other = frame('Should we open an office in Lisbon?');
    expect(one[0]).toBe('We should raise prices');
    expect(other.filter((proposition) => one.includes(proposition))).toEqual([]);
  });

  it('has fewer propositions, none truncated, if the token limit is small', () => {
    const question = `Should we ${'buy the very largest of our suppliers and '.repeat(3)}rest?`;
    expect(frame(question).length).toBe(3);
    expect(frame(question, { max_tokens: 80 }).length).toBe(1);
  });
});

describe('the answers of a council', () => {
  const answers = COUNCIL.map((member) => answer(member));

  it('take different sides on an issue', () => {
    const signs = answers.map(({ stances }) => Math.sign(stances[0]!.stance));
    expect(new Set(signs)).toEqual(new Set([-1, 1]));
    for (const { stances } of answers) {
      expect(stances.map(({ issue }) => issue)).toEqual(['i1', 'i2']);
    }
  });

  it('share no sentence, disclose the offline provider and name the subject', () => {
    const all = answers.flatMap(({ content }) => [...new Set(sentencesOf(content))]);
    expect(new Set(all).size).toBe(all.length);
    for (const { content } of answers) {
      expect(content).toContain(DISCLOSURE);
      expect(content).toContain('expand to Brazil');
    }
  });

  it('have short positions, and key points with ids', () => {
    for (const { position, keyPoints, wouldChangeMind, changedMind, changeReason } of answers) {
      expect(position.split(/\s+/u).length).toBeLessThanOrEqual(60);
      // Each reason is one key point, even if it applies to several propositions.
      expect(keyPoints.map(({ id }) => id)).toEqual(keyPoints.map((_, at) => `p${at + 1}`));
      expect(new Set(keyPoints.map(({ text }) => text)).size).toBe(keyPoints.length);
      expect([position, keyPoints.length > 0]).toEqual([keyPoints[0]!.text, true]);
      expect(wouldChangeMind).not.toBe('');
      expect([changedMind, changeReason]).toEqual([false, null]);
    }
  });

  it('differ between advisers without a name', () => {
    const system = (brief: string): string =>
      `${brief}\nTake your stance on the propositions of this debate.\n${ISSUES.join('\n')}`;
    const [one, other] = ['You like cats.', 'You like dogs.'].map((brief) => {
      return sentencesOf((ask(system(brief), 'Why?') as MemberAnswer).content);
    });
    expect(one!.filter((sentence) => other!.includes(sentence))).toEqual([]);
  });

  it('put related stances into one sentence without nested quotation marks', () => {
    const issues = [...ISSUES, '[i3] “Go south” calls for a change', '[i4] ???'];
    const [growth, ...rest] = COUNCIL.map((member) => answer(member, { issues }).content);
    expect(sentencesOf(growth!)[0]).toBe(
      'Growth clearly agrees that we should expand to Brazil and clearly disagrees that it is ' +
        'better to wait than to expand: it would win ground while rivals wait.',
    );
    for (const content of [growth!, ...rest]) {
      expect(content).toContain('“Go south” calls for a change');
      expect(content).toContain('that ???');
    }
  });

  it('name the question once without quoting it, and disclose once', () => {
    const propositions = frame('Should we double our prices next month?');
    const issues = propositions.map((text, at) => `[i${at + 1}] ${text}`);
    for (const member of COUNCIL) {
      const first = answer(member, { issues });
      const { content, position, keyPoints, wouldChangeMind } = first;
      expect(content.match(/double our prices next month/gu)).toHaveLength(1);
      expect(content.split(DISCLOSURE)).toHaveLength(2);
      const othersText = others(first, ['Point of another.']);
      const later = answer(member, { issues, othersText }).content;
      expect((later.match(/“/gu) ?? []).length).toBeLessThanOrEqual(1);
      const texts = [content, position, wouldChangeMind, ...keyPoints.map(({ text }) => text)];
      expect(texts.join(' ')).not.toMatch(/[“”‘]/u);
    }
  });

  it('are deterministic', () => {
    expect(COUNCIL.map((member) => answer(member))).toEqual(answers);
  });
});

describe('a later round', () => {
  const runs = COUNCIL.flatMap((member) => {
    const last = answer(member);
    return Array.from({ length: 20 }, (_, index) => ({
      last,
      now: answer(member, { othersText: others(last, [`Point ${index} of another.`]) }),
      point: `Point ${index} of another`,
    }));
  });

  it('rarely changes a stance, and never to the other side', () => {
    const changed = runs.filter(({ now }) => now.changedMind);
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.length).toBeLessThan(50);
    for (const { last, now } of runs) {
      const steps = now.stances.map(({ stance }, at) => stance - last.stances[at]!.stance);
      expect(steps.filter((step) => step !== 0).length).toBe(now.changedMind ? 1 : 0);
      expect(steps.every((step) => Math.abs(step) <= 0.5)).toBe(true);
      expect(now.stances.map(({ stance }) => Math.sign(stance))).toEqual(
        last.stances.map(({ stance }) => Math.sign(stance)),
      );
    }
  });

  it('names the point that changed or did not change the stance', () => {
    for (const { now, point } of runs) {
      expect(now.changedMind ? now.changeReason : now.content).toContain(point);
      expect(now.changeReason === null).toBe(!now.changedMind);
    }
  });

  it("is not affected by points that equal the adviser's own", () => {
    const last = answer(COUNCIL[0]!);
    const { keyPoints } = answer(['Expansion', COUNCIL[0]![1]]);
    const othersText = others(
      last,
      keyPoints.map(({ text }) => text),
    ).replace('A: What A holds.', '');
    expect(keyPoints[0]!.text).toBe('Expansion holds that it would win ground while rivals wait.');
    expect(answer(COUNCIL[0]!, { othersText })).toEqual(last);
  });

  it('is unchanged when the others made no point', () => {
    const last = answer(COUNCIL[0]!);
    expect(
      answer(COUNCIL[0]!, { othersText: others(last, []).replace('A: What A holds.', '') }),
    ).toEqual(last);
  });
});

describe('the issues of a panel', () => {
  it('keep the names that the caller gives them', () => {
    const issues = ['[growth] Growth is worth its cost.', '[raise_price2] We should raise prices.'];
    for (const member of COUNCIL) {
      const { stances, content } = answer(member, { issues });
      expect(stances.map(({ issue }) => issue)).toEqual(['growth', 'raise_price2']);
      expect(content).toContain('that we should raise prices');
    }
  });
});

describe('the levers of a panel', () => {
  const levers = [
    'lever hires: 0..20, default 5 (engineers to hire and train)',
    'lever price: 0.5..2, default 1',
    'lever rd.share: -0.1..1e-1, default 0.05',
  ];

  it('are set within their bounds, by leaning', () => {
    const decided = COUNCIL.map((member) => answer(member, { levers }).levers!);
    for (const { hires, price, 'rd.share': share } of decided) {
      expect(Number.isInteger(hires)).toBe(true);
      expect([hires! >= 0, hires! <= 20, price! >= 0.5, price! <= 2]).not.toContain(false);
      expect([share! >= -0.1, share! <= 0.1]).not.toContain(false);
    }
    const [, money, , works] = decided;
    expect(money!.hires).toBeLessThan(5);
    expect(works!.hires).toBeGreaterThan(5);
    expect(new Set(decided.map(({ price }) => price)).size).toBeGreaterThan(2);
  });

  it('keep their values in later rounds', () => {
    const last = answer(COUNCIL[0]!, { levers });
    const now = answer(COUNCIL[0]!, { levers, othersText: others(last, ['A point.']) });
    expect(now.levers).toEqual(last.levers);
  });

  it('are absent in a conversation', () => {
    expect(answer(COUNCIL[0]!)).not.toHaveProperty('levers');
  });
});

describe('the synthesis of a council', () => {
  it('states the verdicts and names every dissenter by its mark', () => {
    const table = [
      '--- COUNCIL ---',
      'question: Should we expand?',
      '[i1] We should expand.',
      '[i1] verdict: supported (0.5, from -1 to 1)',
      '[i1] for: [A], [C]',
      '[i1] against: [B]',
      '[i1] dissent: [B]',
      '[i2] It can wait.',
      '[i2] verdict: split (0, from -1 to 1)',
      '[i2] for: [A]',
      '[i2] against: [B]',
      '[i2] no stance: [C]',
      '[A] holds: [i1] verdict: opposed',
      '--- END COUNCIL ---',
    ].join('\n');
    const system = 'Write the synthesis of this debate from the table of the council.\nShortly.';
    const { content, openQuestions } = ask(system, table);
    expect(content).toBe(
      [
        'A majority of the council supports [i1] (for: [A] and [C]; against: [B]). The council is ' +
          'split on [i2] (for: [A]; against: [B]; no stance: [C]).',
        '[B] dissents, as is told below.',
        `${DISCLOSURE}: it puts the count into sentences and adds nothing to it.`,
      ].join('\n\n'),
    );
    expect(openQuestions).toEqual(['What would settle [i2]?']);
  });
});

describe('the verdicts of a synthesis', () => {
  const write = (...lines: readonly string[]): string => {
    const table = [
      '--- COUNCIL ---',
      ...lines.map((line) => `[i1] ${line}`),
      '--- END COUNCIL ---',
    ];
    const system = 'Write the synthesis of this debate from the table of the council.';
    return String(ask(system, table.join('\n'))['content']).split('\n', 1)[0]!;
  };

  it.each([
    [['verdict: opposed', 'against: [A], [B]'], 'The council opposes [i1] (against: [A] and [B]).'],
    [['verdict: supported', 'for: [A]'], '[A] supports [i1] (for: [A]).'],
    [
      ['verdict: split', 'for: [A]', 'undecided: [B]'],
      'There is no majority on [i1] (for: [A]; undecided: [B]).',
    ],
    [['verdict: split', 'no stance: [A]'], 'Nobody took a stance on [i1] (no stance: [A]).'],
    [
      ['verdict: supported', 'for: [A]', 'no stance: [B], [C]'],
      'Most of those who took a stance support [i1] (for: [A]; no stance: [B] and [C]).',
    ],
  ])('are stated for %j', (lines, changed) => {
    expect(write(...lines)).toBe(changed);
  });
});

describe('hostile text', () => {
  it.each(['!', '.', ' ', ' or ', ', ', '[i1] x\n', 'lever a: 0..1, default 0\n', '- p\n', '保'])(
    'is read in bounded time: %j',
    (piece) => {
      const text = piece.repeat(40_000 / piece.length);
      const task = `${text}\nTake your stance on the propositions of this debate.\n[i1] ${text}a`;
      const calls = [
        ['Frame the question as yes/no propositions.', `Should we ${text}a?`],
        [`${task}\n${text}`, `${text}\n--- OTHERS ---\n${text}`],
        ['Write the synthesis of this debate from the table of the council.', text],
      ];
      const before = process.threadCpuUsage();
      for (const [system, user] of calls) {
        const messages = [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ];
        expect(answerDebate({ messages })).toBeDefined();
      }
      expect(process.threadCpuUsage(before).user).toBeLessThan(3_000_000);
    },
  );
});

describe('a call outside debates', () => {
  it.each([
    ['the marker is in the user text', 'You are Ann, an adviser.'],
    ['the marker is inside a line', 'Never: Frame the question as yes/no propositions.'],
  ])('is answered as usual when %s', (_name, system) => {
    const othersText = ask(system, 'Frame the question as yes/no propositions.');
    expect(othersText).toHaveProperty('question');
    expect(othersText).not.toHaveProperty('issues');
  });
});

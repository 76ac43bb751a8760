import { describe, expect, it } from '@jest/globals';
import { answerOf, makeIssue } from '../../../test/divided-council.ts';
import type { KeyPoint } from '../debate.ts';
import { tallyVotes } from './tally-votes.ts';

const ISSUE = makeIssue('i1', 'Prices should rise');

const vote = (...votes: readonly (readonly [stance: number, confidence: number])[]) =>
  tallyVotes(
    votes.map(([stance, confidence], index) =>
      answerOf('abcdefgh'[index]!, { i1: [stance, confidence] }),
    ),
    [ISSUE],
  );

const dissentersOf = (tally: ReturnType<typeof vote>): string[] =>
  tally.dissent.flatMap(({ agentIds }) => agentIds);

describe('tallyVotes', () => {
  it.each([
    ['1', 1, 1],
    ['just below 1', 0.99, 0.8],
    ['0.9', 0.9, 0.8],
    ['0.8', 0.8, 0.5],
    ['just below 0.8', 0.799, 0.3],
    ['just above 0.6', 0.601, 0.3],
    ['0.6', 0.6, 0.1],
    ['0', 0, 0.1],
  ])('weighs a vote by the bins of ReConcile: %s', (_name, confidence, weight) => {
    const { verdicts } = vote([1, confidence], [-1, 1]);
    expect(verdicts[0]!.support).toBeCloseTo((weight - 1) / (weight + 1), 4);
  });

  it.each([
    [
      'support by two of three',
      [
        [1, 1],
        [-0.5, 1],
        [0.5, 1],
      ],
      'support',
      0.3333,
    ],
    [
      'oppose by four weak votes against one',
      [
        [1, 1],
        [-0.5, 0.6],
        [-0.5, 0.6],
        [-0.5, 0.6],
        [-1, 0.6],
      ],
      'oppose',
      0.5357,
    ],
    [
      'support by three against two that are more confident',
      [
        [0.5, 0.5],
        [0.5, 0.5],
        [0.5, 0.5],
        [-1, 1],
        [-1, 1],
      ],
      'support',
      -0.8043,
    ],
    [
      'a split of equal sides',
      [
        [1, 0.9],
        [-1, 0.9],
      ],
      'split',
      0,
    ],
    [
      'a split of equal sides, one of them more confident',
      [
        [1, 1],
        [-0.5, 1],
      ],
      'split',
      0.25,
    ],
    [
      'a split if undecided agents leave no majority',
      [
        [-1, 1],
        [0, 1],
        [0, 1],
      ],
      'split',
      -0.3333,
    ],
  ] as const)('returns the verdict %s', (_name, votes, verdict, support) => {
    expect(vote(...votes).verdicts).toEqual([
      { issueId: 'i1', proposition: 'Prices should rise', verdict, support },
    ]);
  });

  it.each([
    [
      'no agent if all are on one side',
      [
        [1, 1],
        [0.5, 0.3],
      ],
      [],
    ],
    [
      'an agent on the other side',
      [
        [1, 1],
        [1, 1],
        [-0.5, 1],
      ],
      ['c'],
    ],
    [
      'an undecided agent',
      [
        [1, 1],
        [1, 1],
        [0, 1],
      ],
      ['c'],
    ],
    [
      'no agent of an even split',
      [
        [1, 1],
        [-1, 1],
      ],
      [],
    ],
  ] as const)('returns these dissenters: %s', (_name, votes, dissenters) => {
    expect(dissentersOf(vote(...votes))).toEqual(dissenters);
  });

  it('detects an even split despite binary rounding errors', () => {
    const tally = vote([1, 0.8], [1, 0.7], [1, 0.9], [-1, 0.9], [-1, 0.7], [-1, 0.8]);
    expect(tally.verdicts[0]).toMatchObject({ verdict: 'split', support: 0 });
    expect(dissentersOf(tally)).toEqual([]);
    expect(tally.camps.map(({ agentIds, side }) => [agentIds, side])).toEqual([
      [['a'], 'for'],
      [['b'], 'for'],
      [['c'], 'for'],
      [['d'], 'against'],
      [['e'], 'against'],
      [['f'], 'against'],
    ]);
  });

  it('explains a dissent by texts about its issue only, else by the opening of the answer', () => {
    const issues = [ISSUE, makeIssue('i2', 'What higher prices take is worth the risk of prices')];
    const majority = ['a', 'b', 'c', 'd'].map((id) => answerOf(id, { i1: [1, 1], i2: [1, 1] }));
    const secondIssueText = 'That what higher prices take is worth the risk of prices is wrong.';
    const minority = answerOf(
      'e',
      { i1: [-1, 1], i2: [-1, 1] },
      {
        position: secondIssueText,
        keyPoints: [{ id: 'p1', text: secondIssueText }],
        wouldChangeMind: secondIssueText,
      },
    );
    const { dissent } = tallyVotes([...majority, minority], issues);
    expect(dissent).toMatchObject([
      {
        issueId: 'i1',
        position: 'What e says.',
        strongestPoint: 'What e says.',
        strongestPointId: '',
      },
      {
        issueId: 'i2',
        position: secondIssueText,
        strongestPoint: secondIssueText,
        strongestPointId: 'p1',
      },
    ]);
    expect(dissent.map(({ wouldChangeMind }) => wouldChangeMind)).toEqual(['', secondIssueText]);
  });

  it('names an agent whose statement contradicts its vote, and counts the vote', () => {
    const issue = makeIssue('i1', 'We should raise our prices.');
    const content = 'No, we should not raise our prices. They are high.';
    const answers = [
      answerOf('a', { i1: [0.5, 0.5] }, { content, position: 'Prices stay as is.' }),
    ];
    expect(tallyVotes(answers, [issue])).toMatchObject({
      verdicts: [{ verdict: 'support' }],
      contradictions: [
        {
          issueId: 'i1',
          agentId: 'a',
          agentName: 'Agent a',
          statement: 'No, we should not raise our prices.',
          says: 'against',
          votes: 'for',
        },
      ],
    });
  });

  it('lists agents without a stance separately', () => {
    const answers = [
      answerOf('a', { i1: [1, 1] }),
      answerOf('b', {}),
      answerOf('c', { i1: [1, 1] }),
    ];
    const { withoutStance, dissent, verdicts } = tallyVotes(answers, [ISSUE]);
    expect(withoutStance).toEqual([{ id: 'b', name: 'Agent b' }]);
    expect([dissent, verdicts[0]!.verdict]).toEqual([[], 'support']);
  });

  it('does not depend on the order of the answers', () => {
    const answers = ['a', 'b', 'c'].map((id, index) =>
      answerOf(id, { i1: [index - 1, 0.7 + index / 10] }),
    );
    expect(tallyVotes(answers.toReversed(), [ISSUE])).toEqual(tallyVotes(answers, [ISSUE]));
  });

  it("quotes the dissenter's position and its first point as the strongest", () => {
    const minority = answerOf(
      'c',
      { i1: [-1, 0.9] },
      {
        position: 'Keep prices.',
        keyPoints: [
          { id: 'x7', text: 'Two of three big customers said on record that they would leave.' },
          { id: 'x8', text: 'The brand is young.' },
        ],
        wouldChangeMind: 'A signed renewal.',
      },
    );
    const majority = ['a', 'b'].map((id) => answerOf(id, { i1: [1, 1] }));
    expect(tallyVotes([...majority, minority], [ISSUE]).dissent).toEqual([
      {
        issueId: 'i1',
        side: 'against',
        agentIds: ['c'],
        agentNames: ['Agent c'],
        position: 'Keep prices.',
        strongestPoint: 'Two of three big customers said on record that they would leave.',
        strongestPointId: 'x7',
        wouldChangeMind: 'A signed renewal.',
      },
    ]);
  });

  it('quotes no point that only names a topic', () => {
    // As a model of 0.5 billion parameters wrote it.
    const keyPoints = [{ id: 'p1', text: 'Lagerverarbeitung' }];
    const answers = [answerOf('a', { i1: [1, 1] }, { keyPoints }), answerOf('b', { i1: [-1, 1] })];
    expect(tallyVotes(answers, [ISSUE]).camps[0]).toMatchObject({
      strongestPoint: 'What a holds.',
      strongestPointId: '',
    });
  });

  it('refers to the point ids of each dissenter, even if two dissenters give the same text different ids', () => {
    const dissent = (id: string, keyPoints: KeyPoint[]) =>
      answerOf(id, { i1: [-1, 1] }, { position: 'No.', keyPoints, wouldChangeMind: '' });
    const majority = ['a', 'b', 'c', 'd', 'e'].map((id) => answerOf(id, { i1: [1, 1] }));
    const sharedText = 'It costs too much.';
    const answers = [
      ...majority,
      dissent('f', [{ id: 'p1', text: sharedText }]),
      dissent('g', [{ id: 'cost', text: sharedText }]),
      dissent('h', []),
    ];
    const entries = tallyVotes(answers, [ISSUE]).dissent.map(
      ({ agentIds, strongestPoint, strongestPointId }) => [
        agentIds,
        strongestPoint,
        strongestPointId,
      ],
    );
    expect(entries).toEqual([
      [['f'], sharedText, 'p1'],
      [['g'], sharedText, 'cost'],
      [['h'], 'No.', ''],
    ]);
  });

  it("never attributes one dissenter's text to another", () => {
    const dissent = (id: string, position: string) =>
      answerOf(id, { i1: [-1, 1] }, { position, keyPoints: [], wouldChangeMind: '' });
    const majority = ['a', 'b', 'c', 'd', 'e'].map((id) => answerOf(id, { i1: [1, 1] }));
    const answers = [...majority, dissent('f', 'No.'), dissent('g', 'Never.'), dissent('h', 'No.')];
    const entries = tallyVotes(answers, [ISSUE]).dissent.map(({ agentIds, position }) => [
      agentIds,
      position,
    ]);
    expect(entries).toEqual([
      [['f', 'h'], 'No.'],
      [['g'], 'Never.'],
    ]);
  });

  it('returns no split for an issue without stances, and an empty tally without issues', () => {
    expect(tallyVotes([answerOf('a', {})], [ISSUE])).toEqual({
      verdicts: [{ issueId: 'i1', proposition: 'Prices should rise', verdict: 'none', support: 0 }],
      contradictions: [],
      dissent: [],
      camps: [],
      withoutStance: [{ id: 'a', name: 'Agent a' }],
      confidence: 0,
    });
    expect(tallyVotes([], [])).toEqual({
      verdicts: [],
      contradictions: [],
      dissent: [],
      camps: [],
      withoutStance: [],
      confidence: 0,
    });
  });

  it.each([
    [
      'confident agreement',
      [
        [1, 0.9],
        [1, 0.9],
      ],
      0.9,
    ],
    [
      'confident disagreement',
      [
        [1, 0.9],
        [-1, 0.9],
      ],
      0,
    ],
    [
      'unconfident agreement',
      [
        [0.5, 0.4],
        [0.5, 0.4],
      ],
      0.2,
    ],
  ] as const)('returns the confidence of the decision: %s', (_name, votes, confidence) => {
    expect(vote(...votes).confidence).toBeCloseTo(confidence, 4);
  });

  it('weights the confidence by issue', () => {
    const issues = [makeIssue('i1', 'One', 3), makeIssue('i2', 'Two', 1)];
    const answers = [answerOf('a', { i1: [1, 1], i2: [0, 1] })];
    expect(tallyVotes(answers, issues).confidence).toBe(0.75);
  });
});

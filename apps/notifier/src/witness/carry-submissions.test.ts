import { describe, expect, it } from '@jest/globals';
import { carrySubmissions } from './carry-submissions.ts';
import type { Submissions, WitnessAnswer, WitnessRequest } from './carry-submissions.ts';

const REQUESTS: WitnessRequest[] = ['a', 'b'].map((witness) => ({
  witness,
  url: `https://${witness}.test/add-checkpoint`,
  body: 'old 0\n\n',
}));

const open = (isAgain: (round: number) => boolean, requests = REQUESTS) => {
  const taken: [bigint, readonly WitnessAnswer[]][] = [];
  const submissions: Submissions = {
    next: async () => ({ size: 7n, requests }),
    take: async (size, answers) => {
      taken.push([size, answers]);
      return isAgain(taken.length);
    },
  };
  return { submissions, taken };
};

const post = async ({ witness }: WitnessRequest): Promise<WitnessAnswer> => ({
  witness,
  status: 200,
  body: `of ${witness}`,
});

describe('carrySubmissions', () => {
  it('brings the answers of all witnesses to the ledger', async () => {
    const { submissions, taken } = open(() => false);
    await carrySubmissions(submissions, post);
    const answers = ['a', 'b'].map((witness) => ({ witness, status: 200, body: `of ${witness}` }));
    expect(taken).toEqual([[7n, answers]]);
  });

  it('brings the answers of the others if the request to one throws', async () => {
    const { submissions, taken } = open(() => false);
    const failing = carrySubmissions(submissions, async (request) => {
      if (request.witness === 'a') throw new Error('a bug');
      return await post(request);
    });
    await expect(failing).rejects.toThrow('a bug');
    expect(taken).toEqual([[7n, [{ witness: 'b', status: 200, body: 'of b' }]]]);
  });

  it('sends nothing if there is nothing to cosign', async () => {
    const { submissions, taken } = open(() => false, []);
    await carrySubmissions(submissions, () => {
      throw new Error('not called');
    });
    expect(taken).toEqual([]);
  });

  it('asks again at once if the ledger says so, three times at most', async () => {
    const twice = open((round) => round < 2);
    await carrySubmissions(twice.submissions, post);
    expect(twice.taken).toHaveLength(2);
    const endless = open(() => true);
    await carrySubmissions(endless.submissions, post);
    expect(endless.taken).toHaveLength(3);
  });
});

import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import { answerOf, dividedSource, MINORITY_POINT, roundOf } from '../../../test/divided-council.ts';
import { anonymise } from './render-council.ts';
import { synthesize } from './synthesize.ts';
import type { SynthesisSource } from './render-council.ts';
import type { AskForSynthesis, SynthesisPrompt } from './synthesize.ts';

const USAGE = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

const scripted = (...answers: (JsonObject | Error | undefined)[]) => {
  const prompts: SynthesisPrompt[] = [];
  const delivered: string[] = [];
  const ask: AskForSynthesis = async (prompt) => {
    prompts.push(prompt);
    const answer = answers[prompts.length - 1];
    if (answer instanceof Error) throw answer;
    delivered.push(prompt.toContent(answer, false));
    return { object: answer, isOffline: false, proofIds: [`pf_${prompts.length}`], usage: USAGE };
  };
  return { ask, prompts, delivered };
};

const write = (source: SynthesisSource, ask: AskForSynthesis, { signal } = new AbortController()) =>
  synthesize(source, ask, { signal });

const letterOf = (name: string, source = dividedSource()): string =>
  anonymise(source.rounds.at(-1)!.answers, source.seed).find(
    ({ answer }) => answer.agentName === name,
  )!.letter;

const DISSENTER = letterOf('Sceptic');
const VALID_PROSE = {
  content: `Cash carried [i2]. [${DISSENTER}] is against [i1].`,
  openQuestions: ['Why?'],
};
const VERDICTS = [
  'A majority of the council supports “We should buy the company” (for: Agent a, Agent b, Agent c ' +
    'and Agent d; against: Sceptic).',
  'The council supports “It is worth 5 million” (for: Agent a, Agent b, Agent c, Agent d and ' +
    'Sceptic).',
].join('\n');
const DISSENT =
  `Dissent:\n- Sceptic, against “We should buy the company”: “${MINORITY_POINT}” What would ` +
  'change its mind: “A clean audit by somebody else.”';
const INVENTED_NUMBER = { content: `${VALID_PROSE.content} Sales are 900.` };
const UNANIMITY_CLAIM = { content: 'Everyone agrees that the company should be bought.' };

describe('synthesize', () => {
  it('states the verdicts, how firm they are, the prose with names, and the dissent', async () => {
    const { ask, prompts, delivered } = scripted(VALID_PROSE);
    const { synthesis, proofIds, usage } = await write(dividedSource(), ask);
    expect(synthesis.content).toBe(
      [
        VERDICTS,
        'How firm this is: convergence is 0.8 after 1 round, where 0.85 counts as agreement and ' +
          '0.6 is chance.',
        'Cash carried “It is worth 5 million”. Sceptic is against “We should buy the company”.',
        DISSENT,
      ].join('\n\n'),
    );
    expect(synthesis.templateReason).toBeUndefined();
    expect(synthesis).toMatchObject({
      openQuestions: ['Why?'],
      isFromTemplate: false,
      convergenceScore: 0.8,
      rounds: 1,
      stoppedBy: 'rounds',
    });
    expect({ proofIds, usage }).toEqual({ proofIds: ['pf_1'], usage: USAGE });
    expect(prompts).toHaveLength(1);
    expect(delivered).toEqual([synthesis.content]);
  });

  it('retries once with a description of the problem', async () => {
    const { ask, prompts, delivered } = scripted(UNANIMITY_CLAIM, VALID_PROSE);
    const { synthesis, proofIds, usage } = await write(dividedSource(), ask);
    expect(prompts[0]!.problem).toBeUndefined();
    expect(prompts[1]!.problem).toContain('Everyone agrees');
    expect(prompts[1]!.problem).toContain(`[${DISSENTER}]`);
    expect(synthesis.isFromTemplate).toBe(false);
    expect(proofIds).toEqual(['pf_1', 'pf_2']);
    expect(usage.totalTokens).toBe(30);
    expect(delivered).toEqual([UNANIMITY_CLAIM.content, synthesis.content]);
  });

  it.each([
    ['two wrong claims of unanimity', [UNANIMITY_CLAIM, UNANIMITY_CLAIM], 2, 'votes'],
    ['two invented numbers', [INVENTED_NUMBER, INVENTED_NUMBER], 2, 'numbers'],
    ['no object', [undefined, undefined], 2, 'form'],
    ['no text', [{ content: 5 }, {}], 2, 'form'],
    ['no answer', [new ServiceError('PROVIDER_UNREACHABLE', 'away')], 1, 'unavailable'],
    [
      'no second answer',
      [UNANIMITY_CLAIM, new ServiceError('PROVIDER_TIMEOUT', 'slow')],
      2,
      'votes',
    ],
  ])('falls back to the template and says why: %s', async (_name, answers, tries, reason) => {
    const { ask, prompts } = scripted(...answers);
    const { synthesis } = await write(dividedSource(), ask);
    expect(prompts).toHaveLength(tries);
    expect(synthesis).toMatchObject({ isFromTemplate: true, templateReason: reason });
    expect(synthesis.content).toMatch(/^A majority of the council supports “We should buy/u);
    expect(synthesis.content).toMatch(/\n\nWritten by rules, because [^.]+\.$/u);
    expect(synthesis.content).toContain('- Sceptic, against “We should buy the company”');
    expect(synthesis.content).toContain(MINORITY_POINT);
  });

  it('says that it is written without a model if no provider is configured', async () => {
    const { ask, prompts, delivered } = scripted(VALID_PROSE);
    const { synthesis } = await write(dividedSource(), async (prompt) => ({
      ...(await ask({ ...prompt, toContent: (object) => prompt.toContent(object, true) })),
      isOffline: true,
    }));
    expect(prompts).toHaveLength(1);
    expect(synthesis).toMatchObject({ isFromTemplate: true, templateReason: 'no_provider' });
    expect(synthesis.content).toMatch(/\n\nWritten without a model: no provider is configured/u);
    expect(delivered).toEqual([synthesis.content]);
  });

  it('names a statement that contradicts its vote', async () => {
    const content = 'No, we should not buy the company. It is dear.';
    const [round] = dividedSource().rounds;
    const [first, ...others] = round!.answers;
    const answers = [{ ...first!, content, position: content }, ...others];
    const source = dividedSource({ rounds: [roundOf(answers, 0.8)] });
    const { synthesis } = await write(source, scripted(VALID_PROSE).ask);
    expect(synthesis.contradictions).toMatchObject([
      { agentId: 'a', says: 'against', votes: 'for' },
    ]);
    expect(synthesis.content).toContain(
      'Statement and vote differ; the vote is counted:\n- Agent a says “No, we should not buy the ' +
        'company.”, and votes for “We should buy the company”.',
    );
  });

  it('certifies the template as the answer of the last call', async () => {
    const { ask, delivered } = scripted(UNANIMITY_CLAIM, UNANIMITY_CLAIM);
    const { synthesis } = await write(dividedSource(), ask);
    expect(delivered[1]).toBe(synthesis.content);
  });

  it('rejects after a bug', async () => {
    const error = new TypeError('x is undefined');
    await expect(write(dividedSource(), scripted(error).ask)).rejects.toBe(error);
  });

  it('distinguishes a call that timed out from an aborted debate', async () => {
    const cancelled = new ServiceError('CANCELLED', 'slow');
    const { synthesis } = await write(dividedSource(), scripted(cancelled).ask);
    expect(synthesis.isFromTemplate).toBe(true);
    const outage = new ServiceError('UNAVAILABLE', 'gone');
    const aborted = new AbortController();
    aborted.abort();
    await expect(write(dividedSource(), scripted(outage).ask, aborted)).rejects.toBe(outage);
  });

  it('writes verdicts, a rationale, dissent and absent agents in the template', async () => {
    const { ask } = scripted(new ServiceError('UNAVAILABLE', 'away'));
    const { synthesis } = await write(
      dividedSource({
        rounds: [dividedSource().rounds[0]!, dividedSource().rounds[0]!],
        absentAgents: ['Finance', 'Product'],
        stoppedBy: 'stable',
      }),
      ask,
    );
    expect(synthesis.content).toBe(
      [
        VERDICTS,
        'How firm this is: convergence is 0.8 after 2 rounds, in the last of which nobody moved, ' +
          'where 0.85 counts as agreement and 0.6 is chance.',
        'In the words of Agent a: “What a holds.”',
        DISSENT,
        'Without Finance and Product, who did not answer.',
        'Written by rules, because no model answered.',
      ].join('\n\n'),
    );
    expect(synthesis.absentAgents).toEqual(['Finance', 'Product']);
  });

  it("quotes a dissenter's point for each issue on which it dissents", async () => {
    const answers = ['a', 'b'].map((id) => answerOf(id, { i1: [1, 0.9], i2: [1, 0.9] }));
    const keyPoints = [
      { id: 'p1', text: 'Who would buy a company that is sold in a hurry?' },
      { id: 'p2', text: 'Its books say three million, so five million is worth two too much.' },
    ];
    answers.push(answerOf('c', { i1: [-1, 0.9], i2: [-1, 0.9] }, { keyPoints }));
    const source = dividedSource({ rounds: [roundOf(answers, 0.3)] });
    const { synthesis } = await write(source, scripted({}, {}).ask);
    expect(synthesis.dissent.map(({ strongestPoint }) => strongestPoint)).toEqual(
      keyPoints.map(({ text }) => text),
    );
    for (const { text } of keyPoints) expect(synthesis.content).toContain(`“${text}”`);
    expect(synthesis.content.match(/^- /gmu)).toHaveLength(1);
  });

  it('states no dissent if the council agreed', async () => {
    const answers = ['a', 'b'].map((id) => answerOf(id, { i1: [1, 0.9], i2: [1, 0.9] }));
    const source = dividedSource({ rounds: [roundOf(answers, 1)], stoppedBy: 'converged' });
    const prose = 'Unanimous on [i1] and [i2].';
    const { synthesis } = await write(source, scripted({ content: prose }).ask);
    expect(synthesis.content).toMatch(/^The council supports “We should buy the company”/u);
    expect(synthesis.content).toMatch(
      /convergence is 1 .* 0\.85 counts as agreement\.\n\nUnanimous on “We/u,
    );
    expect(synthesis.dissent).toEqual([]);
  });

  it('states that only one agent was asked', async () => {
    const answers = [answerOf('a', { i1: [1, 0.9] })];
    const source = dividedSource({ rounds: [roundOf(answers, 1)], stoppedBy: 'single' });
    const { synthesis } = await write(source, scripted({ content: 'So [i1], and [i2].' }).ask);
    expect(synthesis.content).toMatch(
      /^Agent a supports “We should buy the company”\.\n[^]+\n\nThis is what Agent a alone says/u,
    );
  });

  it('lists all positions if no agent has a stance', async () => {
    const answers = ['a', 'b'].map((id) => answerOf(id, {}));
    const source = dividedSource({ rounds: [roundOf(answers, 0.3)] });
    const { synthesis } = await write(source, scripted({}, {}).ask);
    expect(synthesis.content).toMatch(/^Nobody took a stance that can be counted\./u);
    expect(synthesis.content).not.toMatch(/split|convergence/u);
    expect(synthesis.content).toContain('- Agent b: “What b says.”');
    expect(synthesis.verdicts.map(({ verdict }) => verdict)).toEqual(['none', 'none']);
    expect(synthesis.openQuestions).toEqual([]);
  });

  it('leaves out open questions that repeat the decision or each other', async () => {
    const openQuestions = [
      'We should buy the company?',
      'Should we buy the company?',
      'Why?',
      'Why?',
    ];
    const { ask } = scripted({ ...VALID_PROSE, openQuestions });
    const { synthesis } = await write(dividedSource(), ask);
    expect(synthesis.openQuestions).toEqual(['Why?']);
  });

  it('returns at most five open questions and drops empty ones', async () => {
    const openQuestions = ['Which?', 3, ' ', `Does [${DISSENTER}] know?`, 'c', 'd', 'e', 'f'];
    const { ask } = scripted({ ...VALID_PROSE, openQuestions });
    const { synthesis } = await write(dividedSource(), ask);
    expect(synthesis.openQuestions).toEqual(['Which?', 'Does Sceptic know?', 'c', 'd', 'e']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import type { Debate } from './open-conversations.ts';

const sentencesOf = (text: string): string[] =>
  [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '');

/** Returns, for each issue, the signs of the agents' stances in the last round. */
const signsOf = ({ messages, debates }: Debate): Map<string, Set<number>> => {
  const signs = new Map<string, Set<number>>();
  for (const { roundNumber, stances = [] } of messages) {
    if (roundNumber !== debates.at(-1)!.roundNumber) continue;
    for (const { issueId, stance } of stances) {
      const known = signs.get(issueId) ?? new Set();
      signs.set(issueId, known.add(Math.sign(stance)));
    }
  }
  return signs;
};

describe('the council of a new system, without a provider', () => {
  let system: TestSystem;
  let client: HttpClient;
  const debates: Debate[] = [];

  beforeAll(async () => {
    system = await openTestSystem({ hasCouncil: true });
    client = createHttpClient(system);
    for (const content of [
      'Should we double our prices next month?',
      'Should we let everybody work from home for good?',
    ]) {
      const created = await client.send('/v1/conversations', { body: { title: content } });
      const { id } = (created.json as { conversation: { id: string } }).conversation;
      const answer = await client.send(`/v1/conversations/${id}/message`, { body: { content } });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      debates.push(answer.json as Debate);
    }
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('has five members, who all answer', () => {
    for (const { messages } of debates) {
      const firstRound = messages.filter(({ roundNumber }) => roundNumber === 1);
      expect(new Set(firstRound.map(({ agentName }) => agentName)).size).toBe(5);
    }
  });

  it('disagrees, and names the dissenters', () => {
    for (const debate of debates) {
      const contestedIssues = [...signsOf(debate).values()].filter(
        (signs) => signs.has(1) && signs.has(-1),
      );
      expect(contestedIssues).not.toEqual([]);
      const { content } = debate.messages.at(-1)!;
      const dissenters = debate.synthesis.dissent.flatMap(({ agents }) => agents);
      expect(dissenters).not.toEqual([]);
      for (const { name } of dissenters) expect(content).toContain(name);
    }
  });

  it('has five distinct voices: no two members share a sentence', () => {
    for (const { messages } of debates) {
      const firstRound = messages.filter(({ roundNumber }) => roundNumber === 1);
      const sentences = firstRound.flatMap(({ content }) => [...new Set(sentencesOf(content))]);
      expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).toEqual(
        [],
      );
    }
  });

  it('answers the question', () => {
    const [one, other] = debates.map(({ synthesis }) =>
      synthesis.consensus.map(({ proposition }) => proposition),
    );
    expect(one!.filter((proposition) => other!.includes(proposition))).toEqual([]);
  });
});

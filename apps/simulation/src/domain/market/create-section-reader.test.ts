import { describe, expect, it } from '@jest/globals';
import { createSectionReader } from './create-section-reader.ts';

const OBJECT =
  '{"marketSize": {"trends": "no: \\"{", "value": 1}, "trends" : ["a", "{ \\"competitors\\": "],' +
  '"other": 1, "competitors":[{"name":"B"}],"recommendations":[]}';

const show = (pieces: readonly string[]): { text: string; marked: string } => {
  const { push } = createSectionReader();
  const shown = pieces.flatMap(push);
  const marked = shown.map((piece) => (piece.kind === 'delta' ? piece.text : `<${piece.name}>`));
  const text = shown.map((piece) => (piece.kind === 'delta' ? piece.text : '')).join('');
  return { text, marked: marked.join('') };
};

describe('createSectionReader', () => {
  it('reports each section of the outermost object when its value begins', () => {
    expect(show([OBJECT]).marked).toBe(
      OBJECT.replace('{"marketSize":', '$&<marketSize>')
        .replace('"trends" :', '$&<trends>')
        .replace(' "competitors":', '$&<competitors>')
        .replace('"recommendations":', '$&<recommendations>'),
    );
  });

  it.each([
    ['alone', OBJECT],
    ['in prose and a fence', `Here it is:\n\`\`\`json\n${OBJECT}\n\`\`\`\nDone {x}.`],
    ['after a reasoning block', `<Think>\n{"trends": []}</think>\n${OBJECT}`],
  ])('returns the same text of an object %s for any chunks', (_name, answer) => {
    const { marked } = show([OBJECT]);
    expect(show([...answer]).marked).toBe(marked);
    for (let index = 0; index <= answer.length; index += 1) {
      expect(show([answer.slice(0, index), answer.slice(index)]).marked).toBe(marked);
    }
  });

  it('returns nothing of an unfinished reasoning block or of prose', () => {
    expect(show([`<think>${'{ "trends": '.repeat(50)}`, 'so']).text).toBe('');
    expect(show(['I know ', 'nothing.']).text).toBe('');
  });

  it('returns the text of a truncated object', () => {
    expect(show(['{"trends":["a', 'b']).marked).toBe('{"trends":<trends>["ab');
  });
});

import { describe, expect, it } from '@jest/globals';
import { createSectionReader } from './create-section-reader.ts';

const OBJECT =
  '{"marketSize": {"trends": "no: \\"{", "value": 1}, "trends" : ["a", "{ \\"competitors\\": "],' +
  '"other": 1, "competitors":[{"name":"B"}],"recommendations":[]}';

const readPieces = (pieces: readonly string[]): { text: string; markedText: string } => {
  const { push } = createSectionReader();
  const displayed = pieces.flatMap(push);
  const markedText = displayed.map((piece) =>
    piece.kind === 'delta' ? piece.text : `<${piece.name}>`,
  );
  const text = displayed.map((piece) => (piece.kind === 'delta' ? piece.text : '')).join('');
  return { text, markedText: markedText.join('') };
};

describe('createSectionReader', () => {
  it('reports each section of the outermost object when its value begins', () => {
    expect(readPieces([OBJECT]).markedText).toBe(
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
    const { markedText } = readPieces([OBJECT]);
    expect(readPieces([...answer]).markedText).toBe(markedText);
    for (let index = 0; index <= answer.length; index += 1) {
      expect(readPieces([answer.slice(0, index), answer.slice(index)]).markedText).toBe(markedText);
    }
  });

  it('returns nothing of an unfinished reasoning block or of prose', () => {
    expect(readPieces([`<think>${'{ "trends": '.repeat(50)}`, 'so']).text).toBe('');
    expect(readPieces(['I know ', 'nothing.']).text).toBe('');
  });

  it('returns the text of a truncated object', () => {
    expect(readPieces(['{"trends":["a', 'b']).markedText).toBe('{"trends":<trends>["ab');
  });
});

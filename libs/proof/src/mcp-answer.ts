import { asMembers, findMcpResult, takeList, takeMembers, takeString } from './answer.ts';
import { ProofError } from './errors.ts';
import type { Uses } from './uses.ts';

type Members = Record<string, unknown>;

/**
 * Returns the one result in the messages of a stream, which may also have notifications. Throws
 * ProofError `answer` if there is none, or a second response.
 */
export function findStreamedMcpResult(messages: readonly Members[]): Members {
  const responses = messages.filter(
    (message) => message['result'] !== undefined || message['error'] !== undefined,
  );
  const result = responses.length === 1 ? findMcpResult(responses[0]!) : undefined;
  if (result !== undefined) return result;
  throw new ProofError('answer', 'the messages of MCP have no result of a tool call, or several');
}

/**
 * Returns the text of a result. Throws ProofError `answer` if a block has something else, or if the
 * text is not that in `structuredContent`: clients show either, and a certificate covers one text.
 */
export function readMcpContent(result: Members, uses: Uses): string {
  const text = takeList(uses, result, 'content')
    .map(asMembers)
    .map((block) => {
      if (block?.['type'] !== 'text') return '';
      if (typeof (block['text'] ?? '') !== 'string') {
        throw new ProofError('answer', 'the text of a block is not text');
      }
      uses.mark(block, 'type');
      return takeString(uses, block, 'text');
    })
    .join('');
  const structured = takeMembers(uses, result, 'structuredContent');
  const answer = asMembers(structured?.['synthesis']) ?? structured;
  const content = answer?.['content'];
  if (answer === undefined || content === undefined) return text;
  if (content !== text) {
    throw new ProofError('answer', 'content and structuredContent have different texts');
  }
  uses.mark(answer, 'content');
  return text;
}

import { ProofError } from './errors.ts';
import { asList, asMembers, asString } from './lenient.ts';

type Members = Record<string, unknown>;

/**
 * Returns the result of an MCP tool call in a saved body: the result itself, the JSON-RPC response
 * with it, or that of `tasks/get`; undefined if the body is none of them.
 */
export function findMcpResult(body: Members): Members | undefined {
  const response = body['jsonrpc'] === '2.0' ? asMembers(body['result']) : body;
  if (response === undefined) return undefined;
  const task = typeof response['taskId'] === 'string' ? asMembers(response['result']) : response;
  if (task === undefined || !Array.isArray(task['content'])) return undefined;
  const isResult =
    task['resultType'] === 'complete' || asMembers(task['structuredContent']) !== undefined;
  return isResult || task['isError'] === true ? task : undefined;
}

/**
 * Returns the text of a result. Throws ProofError `answer` if it is not the one in
 * `structuredContent`: clients show either, and a certificate covers one text.
 */
export function readMcpContent(result: Members): string {
  const text = asList(result['content'])
    .map(asMembers)
    .map((block) => (block?.['type'] === 'text' ? asString(block['text']) : ''))
    .join('');
  const structured = asMembers(result['structuredContent']);
  const answer = asMembers(structured?.['synthesis']) ?? structured;
  const content = answer?.['content'];
  if (content === undefined || content === text) return text;
  throw new ProofError('answer', 'content and structuredContent have different texts');
}

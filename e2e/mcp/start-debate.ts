import { connectClient, openTaskSession } from './open-sdk-client.ts';

/**
 * Starts a debate with the official client, prints the reference of its task, and then waits until
 * the process is killed. Arguments: the base URL, the API key and the question.
 */
const [baseUrl = '', apiKey = '', content = ''] = process.argv.slice(2);
const caller = { baseUrl, apiKey };
const client = await connectClient(caller);
const execution = await openTaskSession(client, caller).callTool('ask_council', { content });
if (execution.kind !== 'task') throw new Error('The debate is no task');
process.stdout.write(`${JSON.stringify(execution.serializeReference())}\n`);
setInterval(() => {}, 60_000);

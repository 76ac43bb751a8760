import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.env.WITAN}/v1`, apiKey: process.env.KEY });
const model = 'service-auto';
const first = await client.responses.create({ model, input: 'What can you do?' });
const stream = client.responses.stream({
  model,
  input: 'And what can you not do?',
  previous_response_id: first.id,
});
const second = await stream.finalResponse();

console.log(second.output_text);

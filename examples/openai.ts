import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.env.WITAN}/v1`, apiKey: process.env.KEY });
const { data, response } = await client.chat.completions
  .create({ model: 'service-auto', messages: [{ role: 'user', content: 'What can you do?' }] })
  .withResponse();

console.log(data.choices[0]?.message.content);
console.log(response.headers.get('x-service-proof'));

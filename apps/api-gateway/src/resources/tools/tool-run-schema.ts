import { closedObject, text } from '../../http/schema.ts';

export const TOOL_RUN = closedObject({
  id: { ...text, description: "The model's own id of the call" },
  toolId: { type: ['string', 'null'], description: 'Null: the agent has no tool of this name' },
  name: text,
  arguments: { description: 'An object; the text that the model wrote where it wrote none' },
  round: {
    type: 'integer',
    minimum: 0,
    description: 'Which answer of the model asked for it, from 1; 0 in a test',
  },
  status: { enum: ['ok', 'error', 'timeout'] },
  httpStatus: { type: ['integer', 'null'], description: 'Null: nothing answered' },
  durationMs: { type: 'number', minimum: 0, description: 'Milliseconds; 0: nothing was sent' },
  result: { description: 'What the tool answered; null: an error' },
  error: { type: ['string', 'null'], description: 'As the model was told; null: it went well' },
});

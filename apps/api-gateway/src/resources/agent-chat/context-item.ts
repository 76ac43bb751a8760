import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ContextItemSchema } from '@witan/contracts';
import { PLAIN_TEXT } from '../../http/text-pattern.ts';
import type { Static } from '../../http/schema.ts';

const ITEMS_MAX = 32;
const HEADING_LENGTH_MAX = 200;

export const CONTEXT_ITEMS = {
  type: 'array',
  maxItems: ITEMS_MAX,
  items: {
    type: 'object',
    required: ['category', 'data'],
    properties: {
      category: {
        type: 'string',
        minLength: 1,
        maxLength: HEADING_LENGTH_MAX,
        pattern: PLAIN_TEXT,
        description: 'The heading that the model sees',
      },
      data: {
        type: ['object', 'array', 'string'],
        description: 'Text as it is; everything else is shown as JSON',
      },
      label: {
        type: 'string',
        maxLength: HEADING_LENGTH_MAX,
        pattern: PLAIN_TEXT,
        description: 'A heading in place of the category',
      },
      priority: { enum: ['high', 'medium', 'low'], description: 'High ones come first' },
    },
  },
} as const;

type ContextItemBody = Static<typeof CONTEXT_ITEMS>[number];

export const toContextItem = ({
  category,
  data,
  label = '',
  priority = 'medium',
}: ContextItemBody): MessageInitShape<typeof ContextItemSchema> => ({
  category,
  ...(typeof data === 'string' ? { data } : { data: JSON.stringify(data), isJson: true }),
  label,
  priority,
});

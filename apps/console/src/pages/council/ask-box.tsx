import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { askCouncil, CONVERSATIONS_KEY } from './conversations-query.ts';
import css from './council.module.css';
import { describeAskError } from './debate-failure.ts';

const EXAMPLES = [
  'Should we raise our prices by 10 % next quarter, or win customers first?',
  'Should we let everybody work from home for good?',
];

type AskBoxProps = {
  conversationId?: string;
  label: string;
  onAsked: (conversationId: string) => void;
};

/** Asks the council; an empty field offers example questions. */
export const AskBox = ({ conversationId, label, onAsked }: AskBoxProps) => {
  const client = useQueryClient();
  const [content, setContent] = useState('');
  const asking = useMutation({
    mutationFn: askCouncil,
    onSuccess: async (id) => {
      setContent('');
      await client.invalidateQueries({ queryKey: CONVERSATIONS_KEY });
      await client.invalidateQueries({ queryKey: ['conversation', id] });
      onAsked(id);
    },
  });
  const ask = (): void => {
    if (content.trim() !== '' && !asking.isPending) asking.mutate({ conversationId, content });
  };
  return (
    <form
      className={css.ask}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) ask();
      }}
    >
      <TextField
        label={label}
        isMultiline
        maxLength={32_000}
        value={content}
        onChange={setContent}
        placeholder="A decision that you face, with what you know about it"
        hint="Each agent answers alone first, then with the positions of the others."
      />
      <div className={css.askFoot}>
        <Button
          kind="primary"
          type="submit"
          isPending={asking.isPending}
          isDisabled={content.trim() === ''}
        >
          Ask the council
        </Button>
        <span className="muted">or Ctrl + Enter</span>
      </div>
      {asking.isError && <Notice tone="bad">{describeAskError(asking.error)}</Notice>}
      {conversationId === undefined && (
        <div className={css.examples}>
          <span className="muted">Try one of these:</span>
          {EXAMPLES.map((example) => (
            <Button key={example} onPress={() => setContent(example)}>
              {example}
            </Button>
          ))}
        </div>
      )}
    </form>
  );
};

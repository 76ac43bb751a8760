import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { Agent } from './agents-query.ts';
import css from './chat.module.css';
import type { ChatRequest } from './chat-turn.ts';
import { linkedToolsQuery } from './linked-tools-query.ts';

type ComposerProps = {
  agent: Agent;
  /** True while an answer is written. */
  isBusy: boolean;
  /** True if that answer belongs to another session. */
  isElsewhere: boolean;
  options: ChatOptions;
  onOptions: (options: ChatOptions) => void;
  onSend: (request: ChatRequest) => void;
};

export type ChatOptions = { reflection: boolean; usesTools: boolean };

export const FIRST_OPTIONS: ChatOptions = { reflection: false, usesTools: true };

const MESSAGE_LENGTH_MAX = 32_000;

/** The field for the next message. */
export const Composer = (props: ComposerProps) => {
  const { agent, isBusy, isElsewhere, options, onOptions, onSend } = props;
  const { reflection, usesTools } = options;
  const [message, setMessage] = useState('');
  const toolCount = useActiveTools(agent);
  const canSend = message.trim() !== '' && !isBusy;
  const send = (): void => {
    if (!canSend) return;
    setMessage('');
    onSend({
      message,
      options: { reflection },
      tools: { enabled: usesTools && toolCount > 0 },
    });
  };
  return (
    <form
      className={css.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <TextField
        label={`Message to ${agent.name}`}
        isMultiline
        maxLength={MESSAGE_LENGTH_MAX}
        value={message}
        onChange={setMessage}
      />
      <div className={css.composerFoot}>
        <Checkbox
          isSelected={reflection}
          onChange={(is) => onOptions({ ...options, reflection: is })}
        >
          Think first
        </Checkbox>
        {toolCount > 0 && (
          <Checkbox
            isSelected={usesTools}
            onChange={(is) => onOptions({ ...options, usesTools: is })}
          >
            May use {toolCount === 1 ? 'its tool' : `its ${toolCount} tools`}
          </Checkbox>
        )}
        <span className={css.send}>
          {isElsewhere ? (
            <span className="muted">An answer in another session is being written.</span>
          ) : (
            <span className={css.shortcut}>Ctrl + Enter</span>
          )}
          <Button kind="primary" type="submit" isDisabled={!canSend}>
            Send
          </Button>
        </span>
      </div>
    </form>
  );
};

/** Returns how many tools the agent may call; 0 if the key may not see them. */
const useActiveTools = (agent: Agent): number => {
  const isVisible = canUse(useSession(), ['tools:read']);
  const tools = useQuery({ ...linkedToolsQuery(agent.id), enabled: isVisible });
  return tools.data?.filter(({ isActive }) => isActive).length ?? 0;
};

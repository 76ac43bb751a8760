import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from './button.tsx';
import css from './field.module.css';

type FileDropProps = {
  /** Names the zone and its button. */
  label: string;
  /** Which files, and what happens to them. */
  hint: string;
  /** Media types and endings with a dot, as in `accept` of a file input. */
  accept: readonly string[];
  isPending: boolean;
  onFiles: (files: File[]) => void;
};

/** A button that chooses files, in a zone into which they can be dropped. */
export const FileDrop = ({ label, hint, accept, isPending, onFiles }: FileDropProps) => (
  <DropZone
    aria-label={`Drop files: ${label}`}
    className={`${css.drop} ${css.files}`}
    isDisabled={isPending}
    onDrop={({ items }) => {
      const dropped = items.filter((item) => item.kind === 'file');
      void Promise.all(dropped.map((item) => item.getFile())).then((files) => {
        if (files.length > 0) onFiles(files);
      });
    }}
  >
    <FileTrigger
      acceptedFileTypes={accept}
      allowsMultiple
      onSelect={(chosen) => {
        if (chosen && chosen.length > 0) onFiles([...chosen]);
      }}
    >
      <Button icon="plus" isPending={isPending}>
        {label}
      </Button>
    </FileTrigger>
    <span className={css.hint}>{hint}</span>
  </DropZone>
);

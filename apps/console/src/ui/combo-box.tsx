import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { ComboBox as AriaComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import css from './field.module.css';
import { Icon } from './icon.tsx';

type ComboBoxProps = {
  label: string;
  hint?: ReactNode;
  /** Values that are offered; any other text is accepted, too. */
  options: readonly string[];
  value: string;
  onChange: (value: string) => void;
};

/** A text with suggestions, of which those that contain the text are offered. */
export const ComboBox = ({ label, hint, options, value, onChange }: ComboBoxProps) => (
  <AriaComboBox
    className={css.field}
    allowsCustomValue
    menuTrigger="focus"
    inputValue={value}
    onInputChange={onChange}
  >
    <Label className={css.label}>{label}</Label>
    <span className={css.combo}>
      <Input className={css.input} />
      <Button className={css.open}>
        <Icon name="chevron" size={14} />
      </Button>
    </span>
    {hint !== undefined && (
      <Text slot="description" className={css.hint}>
        {hint}
      </Text>
    )}
    <Popover className={css.popover}>
      <ListBox className={css.list}>
        {options.map((option) => (
          <ListBoxItem key={option} id={option} textValue={option} className={css.option}>
            {option}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </AriaComboBox>
);

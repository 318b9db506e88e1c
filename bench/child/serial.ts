let count = 0;

/** Stands in a text for what must differ from request to request; a serial is as long, so lengths stay true. */
export const MARK = '@serial-here';

/** Twelve characters that no other request of this run has. */
export function nextSerial(): string {
  count++;
  return `${PROCESS}${count.toString(36).padStart(5, '0')}`.padStart(MARK.length, '0');
}

const PROCESS = (Date.now() % 36 ** 7).toString(36).padStart(7, '0');

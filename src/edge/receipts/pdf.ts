import PDFDocument from 'pdfkit';
import type { Receipt } from './receipt.ts';
import { textsIn } from '../pages/language.ts';
import { winAnsi } from './win-ansi.ts';

const MARGIN = 56;
/** Text width on A4, which is 595 by 842 points. */
const WIDTH = 595.28 - 2 * MARGIN;
/** Columns where values begin: for facts on the left, and for sums on the right. */
const SAID = { column: 130, align: 'left' } as const;
const SUMMED = { column: 300, align: 'right' } as const;
const BAND = 132;
const INK = '#11212d';
const SOFT = '#4b5b68';
const LINE = '#dbe2e8';

type Doc = InstanceType<typeof PDFDocument>;

/**
 * Prints a receipt as a PDF. The same receipt gives the same bytes: its creation date is that of the payment, and nothing is
 * random. The text can be selected and searched, and is tagged with its language and reading order for screen readers.
 * Loading pdfkit and printing would block a request for too long, so only pdf-worker.ts calls it.
 */
export async function printReceipt(receipt: Receipt): Promise<Uint8Array> {
  const texts = textsIn(receipt.language).receipt;
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: receipt.language,
    tagged: true,
    displayTitle: true,
    pdfVersion: '1.7',
    info: {
      // Contains no text of users: pdfkit also writes the title into XML without escaping.
      Title: `${texts.title} ${receipt.id}`,
      Creator: 'Pirogue',
      Producer: 'Pirogue',
      CreationDate: new Date(receipt.paid_at),
    },
  });
  const pieces: Uint8Array[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    doc.on('data', (piece: Uint8Array) => pieces.push(piece));
    doc.on('end', resolve);
    doc.on('error', reject);
  });
  draw(doc, receipt);
  doc.end();
  await ended;
  return Buffer.concat(pieces);
}

function draw(doc: Doc, receipt: Receipt): void {
  const texts = textsIn(receipt.language).receipt;
  const root = doc.struct('Document');
  doc.addStructure(root);
  const tagged = (type: 'H1' | 'H2' | 'P', work: () => void) => root.add(doc.struct(type, {}, work));
  doc.markContent('Artifact', { type: 'Layout' });
  doc.rect(0, 0, doc.page.width, BAND).fill(receipt.brand);
  doc.endMarkedContent();
  tagged('P', () => write(doc, receipt.merchant, { y: 36, size: 13, bold: true, color: '#ffffff', oneLine: true }));
  tagged('P', () => write(doc, receipt.total, { y: 64, size: 28, bold: true, color: '#ffffff', oneLine: true }));
  doc.y = BAND + 28;
  if (receipt.sandbox) {
    tagged('P', () => write(doc, texts.testMode, { bold: true, color: '#553700' }));
    doc.moveDown(0.6);
  }
  tagged('H1', () => write(doc, `${texts.title} · ${receipt.standing}`, { size: 16, bold: true }));
  doc.moveDown(0.8);
  for (const row of receipt.facts) tagged('P', () => pair(doc, row, SAID));
  if (receipt.items.length > 0) {
    doc.moveDown(0.8);
    tagged('H2', () => write(doc, texts.items, { size: 12, bold: true }));
    doc.moveDown(0.3);
    for (const item of receipt.items) tagged('P', () => write(doc, item, {}));
  }
  doc.moveDown(1);
  for (const row of receipt.sums) tagged('P', () => pair(doc, row, SUMMED));
  doc.moveDown(1.5);
  tagged('P', () => write(doc, texts.issued(receipt.merchant), { size: 9, color: SOFT }));
  root.end();
}

interface Look {
  y?: number;
  size?: number;
  bold?: boolean;
  color?: string;
  /** Truncated with an ellipsis when it is longer. */
  oneLine?: boolean;
}

function write(doc: Doc, text: string, { y, size = 10.5, bold = false, color = INK, oneLine = false }: Look): void {
  const cut = oneLine ? { height: size, ellipsis: true } : {};
  doc
    .font(bold ? 'Helvetica-Bold' : 'Helvetica')
    .fontSize(size)
    .fillColor(color);
  doc.text(winAnsi(text), MARGIN, y ?? doc.y, { width: WIDTH, lineGap: 2, ...cut });
}

/** A label with its value beside it, kept on one page, above a thin line. */
function pair(doc: Doc, [name, value]: Receipt['facts'][number], { column, align }: typeof SAID | typeof SUMMED): void {
  doc.font('Helvetica-Bold').fontSize(10.5);
  const shown = winAnsi(value);
  const beside = { width: WIDTH - column, lineGap: 2, align };
  const height = doc.heightOfString(shown, beside);
  if (doc.y + height + 10 > doc.page.height - MARGIN) doc.addPage();
  const { y } = doc;
  doc.font('Helvetica').fillColor(SOFT);
  doc.text(winAnsi(name), MARGIN, y, { width: column - 12, lineGap: 2 });
  const below = doc.y;
  doc.font('Helvetica-Bold').fillColor(INK);
  doc.text(shown, MARGIN + column, y, beside);
  doc.y = Math.max(doc.y, below) + 3;
  doc
    .moveTo(MARGIN, doc.y)
    .lineTo(MARGIN + WIDTH, doc.y)
    .lineWidth(0.5)
    .strokeColor(LINE)
    .stroke();
  doc.y += 6;
  doc.x = MARGIN;
}

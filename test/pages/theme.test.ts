import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Colour, contrast, readColour, WHITE } from '../../src/edge/pages/theme/colour.ts';
import { imageType } from '../../src/edge/pages/theme/image.ts';
import { PLAIN, themeOf } from '../../src/edge/pages/theme/theme.ts';
import { mark } from './logo.ts';

const colourIn = (style: string, name: string) => readColour(new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(style)?.[1]) as Colour;

test('contrast is computed as WCAG 2.2 defines it', () => {
  assert.equal(contrast([0, 0, 0], WHITE), 21);
  assert.equal(contrast(WHITE, WHITE), 1);
  // #767676 is the lightest grey that passes on white.
  assert.equal(contrast([0x76, 0x76, 0x76], WHITE).toFixed(2), '4.54');
  assert.ok(contrast([0x77, 0x77, 0x77], WHITE) < 4.5);
});

test('all text on, in and next to any colour of a merchant has a contrast of 4.5:1', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const style = themeOf({ color: `#${number.toString(16).padStart(6, '0')}` }).style?.text ?? '';
      const [brand, deep, tint, pale] = ['brand', 'deep', 'tint', 'pale'].map((name) => colourIn(style, name)) as Colour[];
      for (const [a, b] of [
        [brand, WHITE],
        [brand, tint],
        [pale, brand],
        [deep, WHITE],
        [deep, tint],
      ] as [Colour, Colour][])
        assert.ok(contrast(a, b) >= 4.5, `${a} on ${b}`);
    }),
  );
});

test('on dark paper every text in, on and next to any colour of a merchant has a contrast of 4.5:1', () => {
  const css = fs.readFileSync('src/edge/pages/assets/page.css', 'utf8');
  const paper = readColour(/prefers-color-scheme: dark[\s\S]*?--paper: (#\w+)/.exec(css)?.[1]) as Colour;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const style = themeOf({ color: `#${number.toString(16).padStart(6, '0')}` }).style?.text ?? '';
      const dark = style.slice(style.indexOf('@media'));
      const [brand, deep, link, tint, pale] = ['brand', 'deep', 'link', 'tint', 'pale'].map((name) =>
        colourIn(dark, name),
      ) as Colour[];
      for (const [a, b] of [
        [brand, WHITE],
        [deep, WHITE],
        [pale, brand],
        [link, paper],
        [link, tint],
      ] as [Colour, Colour][])
        assert.ok(contrast(a, b) >= 4.5, `${a} on ${b}`);
    }),
  );
});

test('a readable colour is kept unchanged, in short or long form', () => {
  assert.equal(themeOf({ color: '#0b4a5e' }).brand, '#0b4a5e');
  assert.equal(themeOf({ color: ' #05A ' }).brand, '#0055aa');
});

test('an invalid colour, language, address or text is ignored', () => {
  for (const color of ['red', '#12345', 'rgb(1,2,3)', '#000;}body{display:none', 7, null, {}, ['#000000'], '#0000000']) {
    assert.equal(themeOf({ color }).style, null, String(color));
  }
  for (const logo of [
    'http://a.example/l.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    '//a.example',
    'https://u:p@a.example/',
    7,
    `https://a.example/${'x'.repeat(3000)}`,
  ]) {
    assert.equal(themeOf({ logo }).logo, null, String(logo));
  }
  for (const locale of ['de', '', 7, null, 'french', '__proto__']) assert.equal(themeOf({ locale }).locale, null);
  for (const title of ['', ' \u200b\u202e ', 7, null, {}]) assert.equal(themeOf({ title }).title, null);
  assert.deepEqual(themeOf(null), PLAIN);
});

test('locale may include a country; texts are one line, short, and cannot reverse the direction of text', () => {
  assert.deepEqual([themeOf({ locale: 'fr-CM' }).locale, themeOf({ locale: 'EN_us' }).locale], ['fr', 'en']);
  assert.equal(themeOf({ title: ' A\u202eB\n\tC ' }).title, 'A B C');
  assert.equal(themeOf({ button_text: '😀'.repeat(50) }).button_text, '😀'.repeat(24));
});

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const jpeg = (height: string, width: string) =>
  hex(`ffd8 ffe0 0004 4a46 ffc0 0011 08 ${height} ${width} 03 012200 021101 031101`);
const webp = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from('RIFF\x20\0\0\0WEBP', 'latin1'), Buffer.from(chunk), hex(rest), Buffer.alloc(20)]);

test('an image is recognised by its bytes: PNG, JPEG and the three kinds of WebP', () => {
  assert.equal(imageType(mark(64, [0, 0, 0])), 'image/png');
  assert.equal(imageType(jpeg('0040', '0040')), 'image/jpeg');
  assert.equal(imageType(webp('VP8 ', '10000000 000000 9d012a 4000 4000')), 'image/webp');
  assert.equal(imageType(webp('VP8L', '10000000 2f 3fc00f00')), 'image/webp');
  assert.equal(imageType(webp('VP8X', '0a000000 00 000000 3f0000 3f0000')), 'image/webp');
});

test('a file that is not an image, decodes to too much or is animated is rejected', () => {
  const large = mark(64, [0, 0, 0]);
  large.writeUInt32BE(60_000, 16);
  const moving = Buffer.concat([mark(64, [0, 0, 0]), Buffer.from('acTL')]);
  for (const [what, bytes] of Object.entries({
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    html: Buffer.from(`<html>${' '.repeat(60)}`),
    gif: hex('474946383961 0100 0100 800000'),
    'half a PNG': mark(64, [0, 0, 0]).subarray(0, 20),
    'a wide PNG': large,
    'a moving PNG': moving,
    'a tall JPEG': jpeg('ffff', '0040'),
    'a JPEG without a frame': hex('ffd8 ffe0 0004 4a46 ffd9'),
    'a JPEG that runs out': hex('ffd8 ffe0 ffff 4a46 0000 0000 0000'),
    'a moving WebP': webp('VP8X', '0a000000 02 000000 3f0000 3f0000'),
    'a wide WebP': webp('VP8X', '0a000000 00 000000 ffffff 3f0000'),
    'an unknown WebP': webp('JUNK', '00000000'),
    nothing: Buffer.alloc(0),
  }))
    assert.equal(imageType(bytes), null, what);
});

test('recognising an image never throws, for any bytes', () => {
  const starts = [hex('89504e470d0a1a0a0000000d49484452'), hex('ffd8ffe0'), Buffer.from('RIFF____WEBPVP8X')];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      imageType(Buffer.concat([start, rest]));
    }),
  );
});

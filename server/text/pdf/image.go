package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"  // decoder for image.Decode
	_ "image/jpeg" // decoder for image.Decode
	"image/png"

	"codeberg.org/go-pdf/fpdf"
)

// pixelSize is the size of a pixel at 96 pixels per inch, in points.
const pixelSize = 0.75

// maxPixels limits the size of images that are decoded.
const maxPixels = 12 << 20

// picture is an image in printable form.
type picture struct {
	name          string
	data          []byte  // PNG with eight bits per channel, without transparency
	width, height float64 // printed size, if it fits
}

// newPicture decodes an image. It returns nil if the image cannot be printed. Every image is converted to a simple PNG, because
// one unusual image would make the PDF library fail for the whole document.
func newPicture(name string, data []byte) *picture {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width <= 0 || config.Height <= 0 || config.Width*config.Height > maxPixels {
		return nil
	}
	source, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	flat := image.NewRGBA(source.Bounds())
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), source, source.Bounds().Min, draw.Over)
	var out bytes.Buffer
	if png.Encode(&out, flat) != nil {
		return nil
	}
	return &picture{name: name, data: out.Bytes(), width: float64(config.Width) * pixelSize, height: float64(config.Height) * pixelSize}
}

// maxPictureBytes limits the bytes of all images of a document.
const maxPictureBytes = 64 << 20

// pictureCache holds the pictures of a document.
type pictureCache struct {
	pictures map[string]*picture // by page and destination; nil if not printable
	size     int
}

// picture returns the image of a destination. It returns nil if that is not a printable image, or if the images of the document
// already exceed maxPictureBytes.
func (w *writer) picture(destination string) *picture {
	name := w.page.ID + " " + destination
	if p, known := w.pictureCache.pictures[name]; known || w.pictureCache.size > maxPictureBytes {
		return p
	}
	var p *picture
	if data := w.resources.Image(w.page, destination); data != nil {
		if p = newPicture(name, data); p != nil {
			w.pictureCache.size += len(p.data)
		}
	}
	w.pictureCache.pictures[name] = p
	return p
}

const (
	imagePad       = 3.0 // above and below an image
	maxImageHeight = sheetHeight - marginTop - marginBottom - 2*imagePad
)

// scaleToFit returns a copy of the picture, scaled down if it exceeds the given size.
func (p *picture) scaleToFit(width, height float64) *picture {
	scale := min(1, width/p.width, height/p.height)
	small := *p
	small.width, small.height = p.width*scale, p.height*scale
	return &small
}

// line returns the picture as a line, scaled down if it exceeds the given width.
func (p *picture) line(width float64) line {
	p = p.scaleToFit(max(width, 1), maxImageHeight)
	return line{image: p, width: p.width, height: p.height + 2*imagePad}
}

// draw prints an image at a position.
func (w *writer) draw(p *picture, x, y float64) {
	options := fpdf.ImageOptions{ImageType: "PNG"}
	w.pdf.RegisterImageOptionsReader(p.name, options, bytes.NewReader(p.data))
	w.pdf.ImageOptions(p.name, x, y+imagePad, p.width, p.height, false, options, 0, "")
}

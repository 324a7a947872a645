"""Players and converters."""
from entry import Entry

ENTRIES = [
    Entry("ffmpeg", "remux, decode to checksums, seek, transcode", r"""
mkdir out; ffmpeg -v error -bitexact -i "$INPUT/film.mkv" -c copy out/a.mp4 &&
ffmpeg -v error -i "$INPUT/film.mkv" -f framemd5 - | cksum
ffmpeg -v error -ss 7 -i "$INPUT/film.mkv" -frames:v 30 -f md5 -; ffmpeg -v error -i out/a.mp4 -map 0:a -f md5 -
ffmpeg -v error -bitexact -threads 1 -i "$INPUT/film.mkv" -t 2 -c:v mpeg4 -an -y out/b.avi;
ffprobe -v error -show_packets out/a.mp4 | cksum
""", needs=("ffmpeg", "ffprobe"), inputs=("film.mkv",), version="ffmpeg -version", reads=("ffmpeg",)),
    Entry("ffmpeg", "-re at film speed for 4 s", 'ffmpeg -v error -re -t 4 -i "$INPUT/film.mkv" -f md5 -',
          needs=("ffmpeg",), inputs=("film.mkv",), version="ffmpeg -version", reads=("ffmpeg",)),
    Entry("mpv", "plays 3 s without window and sound card, and decodes all, with seeks", r"""
mpv --no-config --vo=null --ao=null --length=3 --really-quiet "$INPUT/film.mkv"; echo $?
mpv --no-config --ao=null --vo=null --untimed --no-audio --term-status-msg= --hr-seek=yes --start=8 --frames=40 \
  --msg-level=all=error "$INPUT/film.mkv"; echo $?
mpv --no-config --of=framemd5 --o=m --ovc=rawvideo --no-audio --msg-level=all=error "$INPUT/film.mkv";
grep -v '^#' m | cksum
""", needs=("mpv",), inputs=("film.mkv",), version="mpv --version", reads=("mpv",)),
    Entry("mplayer", "plays all without window and sound card, and from the middle", r"""
mplayer -noconfig all -nolirc -vo null -ao null -benchmark -really-quiet "$INPUT/film.mkv" 2>noise; echo $?
mplayer -noconfig all -nolirc -vo md5sum:outfile=m -nosound -ss 6 -frames 25 -really-quiet "$INPUT/film.mkv" 2>noise;
echo $?; cksum m
""", needs=("mplayer",), inputs=("film.mkv",), version="dpkg-query -W -f='${Version}' mplayer", reads=("mplayer",)),
    Entry("vlc", "cvlc --play-and-exit without window and sound card, transcode", r"""
cvlc -q --play-and-exit --intf dummy --vout dummy --aout dummy --no-lua --run-time=3 "$INPUT/film.mkv" 2>noise;
echo $?
cvlc -q --play-and-exit --intf dummy --no-lua --sout '#std{access=file,mux=ts,dst=a.ts}' "$INPUT/film.mkv" 2>noise;
echo $?
ffprobe -v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv a.ts
""", needs=("cvlc", "ffprobe"), inputs=("film.mkv",), version="dpkg-query -W -f='${Version}' vlc-bin", as_user=True,
          reads=("vlc",)),
    Entry("ImageMagick", "convert: resize, crop of a large picture, png, identify", r"""
mkdir out; convert-im6.q16 "$INPUT/picture.ppm" -resize 50% -strip +set date:create +set date:modify out/a.ppm;
identify-im6.q16 -format '%wx%h %m\n' "$INPUT/picture.ppm"
convert-im6.q16 "$INPUT/picture.ppm" -crop 100x100+700+500 +repage rgb:- | cksum;
convert-im6.q16 "$INPUT/picture.ppm" out/b.tif 2>/dev/null; convert-im6.q16 out/a.ppm -rotate 90 ppm:- | cksum
convert-im6.q16 -limit memory 1MiB -limit map 8MiB "$INPUT/picture.ppm" -flip ppm:- | cksum; rm -f out/b.tif
mkfifo pipe; convert-im6.q16 ppm:- -flop rgb:flopped <pipe & exec 5>pipe; as_mapped convert $! convert-im6.q16
cat "$INPUT/picture.ppm" >&5; exec 5>&-; wait; cksum flopped
""", needs=("convert-im6.q16",), inputs=("picture.ppm",), version="convert-im6.q16 --version", mapped=("convert",)),
]
